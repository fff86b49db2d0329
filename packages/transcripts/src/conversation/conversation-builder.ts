import { type AllowUndefined, type JsonObject, textOf } from '../json/index.js'
import {
  type ConversationDraft,
  Losses,
  OpenCalls,
  type Place,
  type ReaderContext,
  type Report,
  type Role,
  reasons,
  type ToolCall,
  type Turn,
} from '../model/index.js'
import { contentOf } from './content.js'
import { bytesOf, bytesOfTurn, ConversationSize } from './conversation-size.js'
import { addText, closeTurn, isEarlyEnd, isThought, type OpenTurn } from './finalize.js'
import { fitFields } from './fit-fields.js'
import { sanitize, sanitizeText } from './sanitize.js'
import { toolArguments, toolName, toolOutput, unknownTool } from './tool-values.js'

/** The properties of a message beside its content. */
export interface MessageContext {
  place: Place
  /** The time in any form that `readTime` accepts. */
  at?: unknown
  model?: unknown
  /** True if the end user saw it. Default: false for system and tool turns and for turns without content. */
  visible?: boolean | undefined
  /** The id of the message. Consecutive parts of one message become one turn. */
  message?: unknown
  metadata?: JsonObject | undefined
}

/** A tool call in a file; `args` may be the text of the JSON. */
export interface ToolCallInput {
  id?: unknown
  name: unknown
  args: unknown
  /** True if the arguments are plain text, such as a patch, and must not be parsed. */
  raw?: boolean | undefined
}

/** A tool result in a file; `name` is the name in the result itself. */
export interface ToolResultInput {
  id?: unknown
  name?: unknown
  output: unknown
  error?: boolean | undefined
}

/** A call, with an id of its own in the conversation. */
interface Call {
  id: string
  name: string
}

export class ModelCounts {
  readonly #counts = new Map<string, number>()

  add(model: string): void {
    this.#counts.set(model, (this.#counts.get(model) ?? 0) + 1)
  }

  /** The models, the one with most messages first. */
  byUse(): string[] {
    return [...this.#counts].sort((a, b) => b[1] - a[1]).map(([model]) => model)
  }
}

/** Builds the turns of one conversation from its messages, which are added in the order of the file. */
export class ConversationBuilder {
  readonly losses: Losses
  readonly #context: ReaderContext
  /** Knows the conversation in the tally, and its problems. */
  readonly origin = {}
  readonly report: Report = (message, place, code) => this.#context.report(message, place, code, this.origin)
  /**
   * The calls by their ids in the file. Calls of one message that share an id are answered in order; a later message that uses
   * the id again replaces them.
   */
  readonly #calls = new Map<string, Call[]>()
  readonly #openCalls = new OpenCalls<Call>()
  #callCount = 0
  readonly #models = new ModelCounts()
  /** The turns that no later message can change. */
  readonly #turns: Turn[] = []
  /** The last turn, which later messages may extend. */
  #last: OpenTurn | undefined
  #size = 0
  readonly #held = new ConversationSize()

  /** Finds the values that the user maps for a message, in place of those that its format reads. Default: there are none. */
  mapped: ((place: Place) => Pick<MessageContext, 'at' | 'model'>) | undefined

  constructor(context: ReaderContext) {
    this.#context = context
    this.losses = new Losses(context.account)
  }

  /** The number of turns so far, including those without content. */
  get size(): number {
    return this.#size
  }

  /** Add a text or parts (see `contentOf`) as a new turn, or to the last turn if both belong to the same message. */
  addMessage(role: Role, content: unknown, context: MessageContext): void {
    const turn = this.#open(role, context, this.#joins(context))
    if (role !== 'assistant' && role !== 'tool') this.#openCalls.endRound()
    if (typeof content === 'string') {
      this.losses.note(content)
      return addText(turn, content)
    }
    const { text, media, thinking } = contentOf(content, this.losses)
    addText(turn, text)
    if (turn.media === undefined && media.length > 0) turn.media = media
    else for (const each of media) turn.media?.push(each)
    for (const thought of thinking) this.#think(turn, thought)
  }

  /** Add a thought to the turn of the assistant that follows. */
  addThinking(text: string, context: MessageContext): void {
    this.losses.note(text)
    this.#think(this.#open('assistant', context, this.#joins(context)), text)
  }

  /**
   * Add parallel tool calls to the assistant's last turn, or to a new one if another role came last.
   *
   * @param role that of their message: only an assistant calls tools, so that another one is a loss
   */
  addToolCalls(calls: readonly ToolCallInput[], context: MessageContext, role: Role = 'assistant'): void {
    if (calls.length === 0) return
    const hasCounted = this.#last?.toolCalls !== undefined && this.#last.place === context.place
    if (role !== 'assistant' && !hasCounted)
      this.losses.add('changed', 'role of a message with calls', 'only an assistant calls tools')
    const ids = new Set<string>()
    const callIds: string[] = []
    const read = calls.map(({ id: givenId, name: given, args, raw }): ToolCall => {
      const id = textOf(givenId)
      this.losses.note(textOf(given))
      this.losses.noteAll(args)
      const name = toolName(given, this.losses)
      const call = { id: `${++this.#callCount}`, name }
      callIds.push(call.id)
      if (id !== undefined) {
        const others = ids.has(id) ? (this.#calls.get(id) ?? []) : []
        this.#calls.set(id, [...others, call])
        ids.add(id)
      } else this.#openCalls.add(name, call)
      const read = raw ? (args ?? '') : toolArguments(args, this.losses)
      if (read !== args) this.losses.noteAll(read)
      return { name, args: read }
    })
    const turn = this.#open('assistant', context, true)
    turn.toolCalls = [...(turn.toolCalls ?? []), ...read]
    turn.callIds = [...(turn.callIds ?? []), ...callIds]
  }

  /** Add a tool result as a new turn. It is named after the call with its id, else the first open one without an id, else itself. */
  addToolResult(result: ToolResultInput, context: MessageContext): void {
    const id = textOf(result.id)
    const calls = id === undefined ? undefined : this.#calls.get(id)
    const own = textOf(result.name)
    const called = (calls && calls.length > 1 ? calls.shift() : calls?.[0]) ?? this.#takeOpenCall(own)
    if (called === undefined && own === undefined) {
      const why = reasons.required
      this.losses.add('invented', `tool name "${unknownTool}" of a result without a call`, why)
      if (this.#context.isGeneric && (result.output ?? undefined) === undefined) {
        this.report(
          'expected a tool result with a call or a name, and an output, found neither in known fields',
          context.place,
        )
      }
    }
    const isContent = typeof result.output === 'string' || isParts(result.output)
    this.losses.note(own)
    if (!isContent) this.losses.noteAll(result.output)
    const { text, media } = contentOf(
      isContent ? result.output : JSON.stringify(result.output ?? undefined),
      this.losses,
    )
    const turn = this.#open('tool', context, false)
    turn.content = text
    if (media.length > 0) turn.media = media
    const value = isContent ? toolOutput(text) : (result.output ?? null)
    const name = called?.name ?? own ?? unknownTool
    turn.toolResults = [{ name, result: value }]
    turn.resultIds = [called?.id ?? null]
    if (own !== undefined && own !== name) {
      this.losses.add('changed', 'tool name of a result', 'the name of the call with its id is used')
    }
    if (result.error) turn.metadata = { ...turn.metadata, is_error: true }
    const mayHaveCall = result.id !== undefined || this.#callCount > 0
    if (called === undefined && mayHaveCall) turn.metadata = { ...turn.metadata, unmatched: true }
  }

  /** The open call without an id, of this name if it is given. */
  #takeOpenCall(name: string | undefined): Call | undefined {
    return name === undefined ? this.#openCalls.takeFirst() : this.#openCalls.takeNamed(name)
  }

  addMetadata(metadata: JsonObject): void {
    this.losses.noteAll(metadata)
    if (this.#last) this.#last.metadata = { ...this.#last.metadata, ...metadata }
  }

  /**
   * Add the reason why the model ended its answer, if it did so early, as metadata of the answer. Without an answer it is a
   * turn that says so.
   */
  addEnd(end: { finish_reason?: unknown; stop_reason?: unknown }, place: Place): void {
    if (!Object.values(end).some(isEarlyEnd)) return
    if (this.#last?.role === 'assistant') this.addMetadata(end)
    else this.#open('assistant', { place, metadata: end }, false)
  }

  /** A time of the file in ISO 8601. A time that cannot be read is a loss. */
  time(value: unknown): string | undefined {
    this.losses.note(value)
    const read = readTime(value, this.#context.options.now)
    if (read === undefined) return undefined
    if ('error' in read) {
      this.losses.drop(read.error, read.why)
      return undefined
    }
    if (read.zoneless) this.losses.add('changed', 'time without a zone', 'read as UTC')
    return read.iso
  }

  /**
   * Finish the conversation. Defaults: the model with most messages, the format as the source system, and the time of the
   * first turn that has one. Fields that are longer than the upload schema allows are cut.
   */
  build(fields: AllowUndefined<Omit<ConversationDraft, 'turns' | 'losses'>>): ConversationDraft {
    this.#closeLast()
    for (const value of Object.values({ ...fields, place: undefined })) this.losses.noteAll(value)
    const models = this.#models.byUse()
    const modelName = fields.modelName ?? models[0]
    const metadata = models.some((model) => model !== modelName) ? { models, ...fields.metadata } : fields.metadata
    const stored = {
      ...fields,
      sourceSystem: fields.sourceSystem ?? this.#context.format,
      modelName,
      metadata: metadata && Object.keys(metadata).length > 0 ? sanitize(metadata, this.losses) : undefined,
      sourceTimestamp: fields.sourceTimestamp ?? this.#turns.find(({ createdAt }) => createdAt)?.createdAt,
    }
    return {
      ...fitFields(stored, this.losses),
      turns: this.#turns,
      losses: this.losses.list(),
      origins: [this.origin],
    }
  }

  /** A message joins the last turn if it is part of the same message, or follows a thought. */
  #joins(context: MessageContext): boolean {
    return context.message !== undefined || isThought(this.#last)
  }

  #open(role: Role, context: MessageContext, joins: boolean): OpenTurn {
    const own = this.mapped?.(context.place)
    const model = textOf(own?.model ?? context.model)
    const at = own?.at ?? context.at
    this.losses.noteAll(context.metadata)
    if (role === 'assistant' && model !== undefined) {
      this.losses.note(model)
      this.#models.add(sanitizeText(model, this.losses))
    }
    const last = this.#last
    if (joins && last?.role === role && last.message === context.message) {
      // A turn that began with a thought has the place and time of its content.
      if (isThought(last)) {
        last.place = context.place
        last.visible = context.visible
        last.createdAt = this.time(at) ?? last.createdAt
      }
      if (context.metadata) last.metadata = { ...last.metadata, ...context.metadata }
      return last
    }
    this.#closeLast()
    if (this.#size === 0) this.#context.tally.begin('conversation', this.origin)
    this.#size++
    const turn: OpenTurn = {
      role,
      message: context.message,
      content: '',
      metadata: context.metadata,
      createdAt: at === undefined ? undefined : this.time(at),
      visible: context.visible,
      place: context.place,
    }
    this.#last = turn
    return turn
  }

  #closeLast(): void {
    const closed = this.#last && closeTurn(this.#last, this.losses)
    if (closed) this.#keep(closed)
    if (this.#last && !isThought(this.#last)) this.#context.account.noteMessage(closed === undefined, this.#last.place)
    this.#last = undefined
  }

  #keep(turn: Turn): void {
    this.#turns.push(turn)
    const { content, toolCalls, toolResults, metadata, place } = turn
    const parts = [content, toolCalls, toolResults, metadata].map(bytesOf)
    this.#held.add(
      parts.reduce((sum, bytes) => sum + bytes, bytesOfTurn),
      place,
    )
  }

  #think(turn: OpenTurn, thought: string): void {
    turn.hasThought = true
    if (!this.#context.options.thinking) this.losses.drop('thinking', reasons.thinking)
    else if (thought !== '') {
      turn.thinking ??= []
      turn.thinking.push(thought)
    }
  }
}

/** True if the output is a list of content parts and not data. */
function isParts(output: unknown): boolean {
  const first = Array.isArray(output) ? output[0] : undefined
  if (typeof first !== 'object' || first === null) return false
  return 'type' in first && ('text' in first || 'source' in first || 'image_url' in first || 'file' in first)
}

type ReadTime = { iso: string; zoneless: boolean } | { error: string; why: string }

const outOfRange = 'it cannot be the time of a conversation'
const earliest = Date.UTC(2000, 0, 1)
const day = 86_400_000

/**
 * A time as ISO 8601 in UTC with milliseconds; undefined for an empty value. Numbers and texts of digits count seconds,
 * milliseconds, microseconds or nanoseconds since 1970, depending on their size. A text without a zone is UTC. A time
 * before 2000, or more than a day after `now` (milliseconds since 1970), is an error.
 */
export function readTime(value: unknown, now = Number.POSITIVE_INFINITY): ReadTime | undefined {
  if (value === undefined || value === null || value === '' || value === 0) return undefined
  const read = isNumeric(value) ? { ms: sinceEpoch(Number(value)), zoneless: false } : ofText(value)
  if (read === undefined || Number.isNaN(read.ms))
    return { error: 'time that cannot be read', why: 'neither ISO 8601 nor a number since 1970' }
  if (read.ms < earliest) return { error: 'time before 2000', why: outOfRange }
  if (read.ms > Math.min(now + day, 8.64e15)) return { error: 'time in the future', why: outOfRange }
  return { iso: new Date(read.ms).toISOString(), zoneless: read.zoneless }
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^\s*\d{9,}(\.\d+)?\s*$/.test(value))
}

function sinceEpoch(value: number): number {
  if (value > 1e17) return value / 1e6
  if (value > 1e14) return value / 1e3
  return value > 1e11 ? value : value * 1e3
}

const isoLike = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?(?:\s*(Z|z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/

/** Accepts ISO 8601 and common deviations: a blank for the T, more digits than milliseconds, `+0200`, no zone. */
function ofText(value: unknown): { ms: number; zoneless: boolean } | undefined {
  if (typeof value !== 'string') return undefined
  const found = isoLike.exec(value.trim())
  const date = found?.[1]
  if (!found || date === undefined) return undefined
  const minutes = found[2]
  const zone = found[5]
  if (minutes === undefined) return { ms: isDay(date) ? Date.parse(date) : Number.NaN, zoneless: false }
  const ms = `${found[4] ?? ''}000`.slice(0, 3)
  const at = Date.parse(`${date}T${minutes}${found[3] ?? ':00'}.${ms}${isoZone(zone)}`)
  return { ms: isDay(date) ? at : Number.NaN, zoneless: zone === undefined }
}

/** True if the calendar has the day: Date.parse accepts 30 February as 2 March. */
function isDay(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || !/^[+-]/.test(zone)) return 'Z'
  const digits = zone.replace(':', '').slice(1).padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

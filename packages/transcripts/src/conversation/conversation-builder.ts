import { type AllowUndefined, type JsonObject, textOf } from '../json/index.js'
import {
  type ConversationDraft,
  Losses,
  type Place,
  type ReaderContext,
  type Report,
  type Role,
  reasons,
  type ToolCall,
  type Turn,
} from '../model/index.js'
import { contentOf } from './content.js'
import { addText, closeTurn, isThought, type OpenTurn } from './finalize.js'
import { fitFields } from './fit-fields.js'
import { sanitize, sanitizeText } from './sanitize.js'
import { readTime } from './times.js'
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

/** Counts the messages of each model in a conversation. */
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
  readonly losses = new Losses()
  readonly #notes: ReaderContext
  readonly report: Report = (message, place, code) => this.#notes.report(message, place, code)
  /**
   * The tool names of calls by id, for results that carry only the id. Calls of one message that share an id are
   * answered in order; a later message that uses the id again replaces them.
   */
  readonly #toolNames = new Map<string, string[]>()
  readonly #models = new ModelCounts()
  /** The turns that no later message can change. */
  readonly #turns: Turn[] = []
  /** The last turn, which later messages may extend. */
  #last: OpenTurn | undefined
  #size = 0

  constructor(notes: ReaderContext) {
    this.#notes = notes
  }

  /** The number of turns so far, including those without content. */
  get size(): number {
    return this.#size
  }

  /** Add a text or parts (see `contentOf`) as a new turn, or to the last turn if both belong to the same message. */
  addMessage(role: Role, content: unknown, context: MessageContext): void {
    const turn = this.#open(role, context, this.#joins(context))
    if (typeof content === 'string') return addText(turn, content)
    const { text, media, thinking } = contentOf(content, this.losses)
    addText(turn, text)
    if (media.length > 0) turn.media = [...(turn.media ?? []), ...media]
    for (const thought of thinking) this.#think(turn, thought)
  }

  /** Add a thought to the turn of the assistant that follows. */
  addThinking(text: string, context: MessageContext): void {
    this.#think(this.#open('assistant', context, this.#joins(context)), text)
  }

  /** Add parallel tool calls to the assistant's last turn, or to a new one if another role came last. */
  addToolCalls(calls: readonly ToolCallInput[], context: MessageContext): void {
    if (calls.length === 0) return
    const ids = new Set<string>()
    const read = calls.map(({ id, name: given, args, raw }): ToolCall => {
      const name = toolName(given, this.losses)
      if (typeof id === 'string') {
        const others = ids.has(id) ? (this.#toolNames.get(id) ?? []) : []
        this.#toolNames.set(id, [...others, name])
        ids.add(id)
      }
      return { name, args: raw ? (args ?? '') : toolArguments(args, this.losses) }
    })
    const turn = this.#open('assistant', context, true)
    turn.toolCalls = turn.toolCalls === undefined ? read : [...turn.toolCalls, ...read]
  }

  /** Add a tool result as a new turn. It is named after the call with its id, else by its own name. */
  addToolResult(result: ToolResultInput, context: MessageContext): void {
    const names = typeof result.id === 'string' ? this.#toolNames.get(result.id) : undefined
    const called = names && names.length > 1 ? names.shift() : names?.[0]
    const own = textOf(result.name)
    if (called === undefined && own === undefined) {
      const why = reasons.required
      this.losses.add('invented', `tool name "${unknownTool}" of a result without a call`, why)
    }
    const isContent = typeof result.output === 'string' || isParts(result.output)
    const { text, media } = contentOf(
      isContent ? result.output : JSON.stringify(result.output ?? undefined),
      this.losses,
    )
    const turn = this.#open('tool', context, false)
    turn.content = text
    if (media.length > 0) turn.media = media
    const value = isContent ? toolOutput(text) : (result.output ?? null)
    const name = called ?? own ?? unknownTool
    turn.toolResults = [{ name, result: value }]
    if (own !== undefined && own !== name) {
      this.losses.add('changed', 'tool name of a result', 'the name of the call with its id is used')
    }
    if (result.error) turn.metadata = { ...turn.metadata, is_error: true }
    if (result.id !== undefined && called === undefined) turn.metadata = { ...turn.metadata, unmatched: true }
  }

  /** Add to the metadata of the last turn, if there is one. */
  addMetadata(metadata: JsonObject): void {
    if (this.#last) this.#last.metadata = { ...this.#last.metadata, ...metadata }
  }

  /** A time of the file in ISO 8601. A time that cannot be read is a loss. */
  time(value: unknown): string | undefined {
    const read = readTime(value, this.#notes.options.now)
    if (read === undefined) return undefined
    if ('error' in read) {
      this.losses.drop(read.error, 'it cannot be the time of a conversation')
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
    const models = this.#models.byUse()
    const modelName = fields.modelName ?? models[0]
    const metadata = models.some((model) => model !== modelName) ? { models, ...fields.metadata } : fields.metadata
    const stored = {
      ...fields,
      sourceSystem: fields.sourceSystem ?? this.#notes.format,
      modelName,
      metadata: metadata && Object.keys(metadata).length > 0 ? sanitize(metadata, this.losses) : undefined,
      sourceTimestamp: fields.sourceTimestamp ?? this.#turns.find(({ createdAt }) => createdAt)?.createdAt,
    }
    return { ...fitFields(stored, this.losses), turns: this.#turns, losses: this.losses.list() }
  }

  /** A message joins the last turn if it is part of the same message, or follows a thought. */
  #joins(context: MessageContext): boolean {
    return context.message !== undefined || isThought(this.#last)
  }

  #open(role: Role, context: MessageContext, joins: boolean): OpenTurn {
    if (role === 'assistant' && typeof context.model === 'string' && context.model !== '') {
      this.#models.add(sanitizeText(context.model, this.losses))
    }
    const last = this.#last
    if (joins && last?.role === role && last.message === context.message) {
      // A turn that began with a thought has the place and time of its content.
      if (isThought(last)) {
        last.place = context.place
        last.visible = context.visible
        last.createdAt = this.time(context.at) ?? last.createdAt
      }
      if (context.metadata) last.metadata = { ...last.metadata, ...context.metadata }
      return last
    }
    this.#closeLast()
    this.#size++
    const turn: OpenTurn = {
      role,
      message: context.message,
      content: '',
      metadata: context.metadata,
      createdAt: context.at === undefined ? undefined : this.time(context.at),
      visible: context.visible,
      place: context.place,
    }
    this.#last = turn
    return turn
  }

  #closeLast(): void {
    const closed = this.#last && closeTurn(this.#last, this.losses)
    if (closed) this.#turns.push(closed)
    this.#last = undefined
  }

  #think(turn: OpenTurn, thought: string): void {
    turn.hasThought = true
    if (!this.#notes.options.thinking) this.losses.drop('thinking', reasons.thinking)
    else if (thought !== '') turn.thinking = [...(turn.thinking ?? []), thought]
  }
}

/** True if the output is a list of content parts and not data. */
function isParts(output: unknown): boolean {
  const first = Array.isArray(output) ? output[0] : undefined
  if (typeof first !== 'object' || first === null) return false
  return 'type' in first && ('text' in first || 'source' in first || 'image_url' in first || 'file' in first)
}

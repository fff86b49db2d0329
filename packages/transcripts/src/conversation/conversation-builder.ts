import type { AllowUndefined, JsonObject } from '../json/index.js'
import {
  type ConversationDraft,
  Losses,
  type Place,
  type ReadOptions,
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

/**
 * Facts of a message beside its content. One that is made for each turn is best a literal: Node 20 takes
 * long to make, and to read, a spread copy that gets another field.
 */
export interface MessageContext {
  place: Place
  /** Its time as the file has it: see `readTime`. */
  at?: unknown
  /** The model that says it. */
  model?: unknown
  /** True if the end user saw it. Default: all but system and tool turns, and turns without words. */
  visible?: boolean | undefined
  /** The id of the message that it is part of: parts of one message that follow each other make one turn. */
  message?: unknown
  metadata?: JsonObject | undefined
}

/** A tool call as a file has it; `args` may be the text of the JSON. */
export interface ToolCallInput {
  id?: unknown
  name: unknown
  args: unknown
  /** The arguments are a text, whatever it spells, such as a patch. */
  raw?: boolean | undefined
}

/** A tool's answer as a file has it; `name` where it bears one itself. */
export interface ToolResultInput {
  id?: unknown
  name?: unknown
  output: unknown
  error?: boolean | undefined
}

/** Counts how often each model said something in a conversation. */
export class ModelCounts {
  readonly #counts = new Map<string, number>()

  add(model: string): void {
    this.#counts.set(model, (this.#counts.get(model) ?? 0) + 1)
  }

  /** The models, first the one that said most. */
  byUse(): string[] {
    return [...this.#counts].sort((a, b) => b[1] - a[1]).map(([model]) => model)
  }
}

/** One conversation while it is read: takes what is said in the order of the file and makes the turns of a transcript of it. */
export class ConversationBuilder {
  readonly losses = new Losses()
  readonly #options: ReadOptions
  /**
   * The names of the calls by their ids, for results that carry only the id. Ids repeat: within one message they are
   * answered in order, and a later message that uses one again means its own call.
   */
  readonly #names = new Map<string, string[]>()
  readonly #models = new ModelCounts()
  /** Turns that can no longer change, as they are stored. */
  readonly #turns: Turn[] = []
  /** The last turn, to which more may belong. */
  #last: OpenTurn | undefined
  #size = 0

  constructor(options: ReadOptions = {}) {
    this.#options = options
  }

  /** The number of turns so far, with those without content. */
  get size(): number {
    return this.#size
  }

  /** Someone says a text or parts (see `contentOf`), in a turn of its own unless it belongs to the message before. */
  addMessage(role: Role, content: unknown, context: MessageContext): void {
    const turn = this.#open(role, context, this.#joins(context))
    if (typeof content === 'string') return addText(turn, content)
    const { text, media, thinking } = contentOf(content, this.losses)
    addText(turn, text)
    if (media.length > 0) turn.media = [...(turn.media ?? []), ...media]
    for (const thought of thinking) this.#think(turn, thought)
  }

  /** The model thinks, in the turn that it goes on to speak or call in. */
  addThinking(text: string, context: MessageContext): void {
    this.#think(this.#open('assistant', context, this.#joins(context)), text)
  }

  /** The assistant calls tools at once, in its turn when it has just spoken or called, else in a new one. */
  addToolCalls(calls: readonly ToolCallInput[], context: MessageContext): void {
    if (calls.length === 0) return
    const ids = new Set<string>()
    const read = calls.map(({ id, name: given, args, raw }): ToolCall => {
      const name = toolName(given, this.losses)
      if (typeof id === 'string') {
        const others = ids.has(id) ? (this.#names.get(id) ?? []) : []
        this.#names.set(id, [...others, name])
        ids.add(id)
      }
      return { name, args: raw ? (args ?? '') : toolArguments(args, this.losses) }
    })
    const turn = this.#open('assistant', context, true)
    turn.toolCalls = turn.toolCalls === undefined ? read : [...turn.toolCalls, ...read]
  }

  /** A tool answers, in a turn of its own. The name is that of the call with its id, else the one it bears. */
  addToolResult(result: ToolResultInput, context: MessageContext): void {
    const names = typeof result.id === 'string' ? this.#names.get(result.id) : undefined
    const called = names && names.length > 1 ? names.shift() : names?.[0]
    const own = typeof result.name === 'string' && result.name !== '' ? result.name : undefined
    if (called === undefined && own === undefined) {
      const why = reasons.required
      this.losses.add('invented', `tool name "${unknownTool}" of a result without a call`, why)
    }
    const isContent = typeof result.output === 'string' || isParts(result.output)
    const said = contentOf(isContent ? result.output : jsonText(result.output), this.losses)
    const turn = this.#open('tool', context, false)
    turn.content = said.text
    if (said.media.length > 0) turn.media = said.media
    const value = isContent ? toolOutput(said.text) : (result.output ?? null)
    const name = called ?? own ?? unknownTool
    turn.toolResults = [{ name, result: value }]
    if (own !== undefined && own !== name) {
      this.losses.add('changed', 'tool name of a result', 'the name of the call with its id is used')
    }
    if (result.error) turn.metadata = { ...turn.metadata, is_error: true }
    if (result.id !== undefined && called === undefined) turn.metadata = { ...turn.metadata, unmatched: true }
  }

  /** Adds to the metadata of the last turn; nothing when there is none. */
  addMetadata(metadata: JsonObject): void {
    const last = this.#last
    if (last) last.metadata = { ...last.metadata, ...metadata }
  }

  /** A time of the file in ISO 8601, and a loss where it cannot be read. */
  time(value: unknown): string | undefined {
    const read = readTime(value, this.#options.now)
    if (read === undefined) return undefined
    if ('flaw' in read) {
      this.losses.drop(read.flaw, 'it cannot be the time of a conversation')
      return undefined
    }
    if (read.zoneless) this.losses.add('changed', 'time without a zone', 'read as UTC')
    return read.iso
  }

  /**
   * The transcript. Its model is the one that said most, its time that of its first turn, unless `fields` say otherwise.
   * Fields that are longer than the service allows are cut, ids so that they stay different.
   */
  build(fields: AllowUndefined<Omit<ConversationDraft, 'turns' | 'losses'>>): ConversationDraft {
    this.#settle()
    const turns = this.#turns
    const models = this.#models.byUse()
    const modelName = fields.modelName ?? models[0]
    const metadata = models.some((model) => model !== modelName) ? { models, ...fields.metadata } : fields.metadata
    const draft = fitFields(
      {
        name: fields.name,
        modelName,
        language: fields.language,
        sourceSystem: fields.sourceSystem,
        externalId: fields.externalId,
        externalUserId: fields.externalUserId,
        metadata: metadata && Object.keys(metadata).length > 0 ? sanitize(metadata, this.losses) : undefined,
        sourceTimestamp: fields.sourceTimestamp ?? firstTime(turns),
        process: fields.process,
        place: fields.place,
      },
      this.losses,
    ) as ConversationDraft
    draft.turns = turns
    draft.losses = this.losses.list()
    return draft
  }

  /** Parts of one message belong together, and a thought to what is said after it. */
  #joins(context: MessageContext): boolean {
    return context.message !== undefined || isThought(this.#last)
  }

  #open(role: Role, context: MessageContext, joins: boolean): OpenTurn {
    if (role === 'assistant' && typeof context.model === 'string' && context.model !== '') {
      this.#models.add(sanitizeText(context.model, this.losses))
    }
    const last = this.#last
    const same = joins && last?.role === role && last.message === context.message
    if (same) {
      // What is said after a thought stands where it is said.
      if (isThought(last)) {
        last.place = context.place
        last.visible = context.visible
        last.createdAt = this.time(context.at) ?? last.createdAt
      }
      if (context.metadata) last.metadata = { ...last.metadata, ...context.metadata }
      return last
    }
    this.#settle()
    this.#size++
    const turn: OpenTurn = {
      role,
      message: context.message,
      content: '',
      toolCalls: undefined,
      toolResults: undefined,
      media: undefined,
      thinking: undefined,
      thought: false,
      metadata: context.metadata,
      createdAt: context.at === undefined ? undefined : this.time(context.at),
      visible: context.visible,
      place: context.place,
    }
    this.#last = turn
    return turn
  }

  /** Only the last turn is kept open, so that a long conversation is held once. */
  #settle(): void {
    const settled = this.#last && closeTurn(this.#last, this.losses)
    if (settled) this.#turns.push(settled)
    this.#last = undefined
  }

  #think(turn: OpenTurn, thought: string): void {
    turn.thought = true
    if (this.#options.thinking && thought !== '') turn.thinking = [...(turn.thinking ?? []), thought]
    else if (!this.#options.thinking) this.losses.drop('thinking', reasons.thinking)
  }
}

function firstTime(turns: readonly Turn[]): string | undefined {
  for (const { createdAt } of turns) if (createdAt !== undefined) return createdAt
  return undefined
}

/** True if a result's array or object is content to be read as such, not data of its own. */
function isParts(output: unknown): boolean {
  const first = Array.isArray(output) ? output[0] : undefined
  if (typeof first !== 'object' || first === null) return false
  return 'type' in first && ('text' in first || 'source' in first || 'image_url' in first || 'file' in first)
}

function jsonText(output: unknown): string {
  return output === undefined || output === null ? '' : JSON.stringify(output)
}

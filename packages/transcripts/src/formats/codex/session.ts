import { addItem, type FileRecord, placeIn, type ReaderContext } from '../../contract/index.js'
import {
  bytesOf,
  bytesOfTurn,
  ConversationBuilder,
  ConversationSize,
  type MessageContext,
} from '../../conversation/index.js'
import { getOrInsert, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Account, Losses, type Place, reasons } from '../../model/index.js'
import type { CodexItem } from './event.js'
import type { CodexLine, Source } from './line.js'

/** An item from one source, in one task. Each user message begins a task. */
interface Entry {
  track: Track
  source: Source
  task: number
  item: JsonObject
  place: Place
  at: unknown
  metadata: JsonObject | undefined
}

/** Facts about the turn before, or the model of the following turns. */
interface Note {
  track?: undefined
  note?: JsonObject
  model?: unknown
}

const spent: Note = {}

/** A conversation in which an unreadable item is a loss. */
export function codexConversation(context: ReaderContext): ConversationBuilder {
  const conversation: ConversationBuilder = new ConversationBuilder({
    ...context,
    report: (message) => conversation.losses.drop('item that cannot be read', message),
  })
  return conversation
}

/** A session while its log is read. Keeps the possible turns, without large binary data. */
export class CodexSession {
  readonly #entries: (Entry | Note)[] = []
  readonly #held = new ConversationSize()
  readonly #best = new BestSources()
  readonly #highest = { user: 0, assistant: 0 }
  /** Marks of texts that came from a worse source after a better one. */
  readonly #passed: Record<'user' | 'assistant', number[]> = { user: [], assistant: [] }
  readonly #written = new Set<string>()
  #headers = 0
  readonly losses: Losses
  #task = 0
  /** The state of the task while only events describe it. */
  #events: 'nothing' | 'asked' | 'answered' | undefined = 'nothing'
  /** True if there may be a message of a user or the model so far. */
  hasMessages = false
  #model: unknown
  /** The facts of the first header; a forked session also has that of its parent. */
  facts: JsonObject | undefined
  name: unknown

  constructor(account: Account) {
    this.losses = new Losses(account)
  }

  /** Add the content of a line; `pointer` leads to it in its record. */
  add(line: CodexLine, record: FileRecord, pointer: string, at: unknown): void {
    if (line.startsTask) this.#beginTask()
    if (line.model !== undefined && line.model !== this.#model) {
      this.#model = line.model
      this.#entries.push({ model: line.model })
    }
    if (line.name !== undefined) this.name = line.name
    if (line.lost !== undefined) this.losses.dropValue(record.value, line.lost)
    this.losses.note(line.model, ...(line.repeats ?? []))
    if (line.session) this.#begin(line.session)
    for (const item of line.items ?? []) this.#add(item, line.source ?? 1, record, pointer, at)
    if (line.note) this.#entries.push({ note: line.note })
  }

  /** Add the turns. Returns false if there is no message or action of a user or the model. */
  addTo(conversation: ConversationBuilder): boolean {
    const injected = injectedMessages(this.#entries)
    const repeated = this.#countLost(conversation)
    let hasMessages = false
    let model: unknown
    for (const [index, each] of this.#entries.entries()) {
      // Free the text as soon as it is a turn.
      this.#entries[index] = spent
      if (each.track === undefined) {
        if (each.note) conversation.addMetadata(each.note)
        if (each.model !== undefined) model = each.model
        continue
      }
      if (this.#best.isRepeated(each) || repeated.has(each)) continue
      const { track, item, place, at, metadata } = each
      const context: MessageContext = { place, at, model, metadata }
      if (track === 'tools' && this.#best.isBeside(each)) {
        conversation.losses.noteAll(item)
        if (isCall(item)) conversation.losses.drop('tool call found only in an event', whyBeside)
        continue
      }
      const isHidden = track === 'injected' || injected.has(each)
      hasMessages ||= !isHidden && track !== 'system' && track !== 'thinking'
      if (isHidden) {
        conversation.addMessage('system', item.content, { ...context, metadata: { kind: 'injected', ...metadata } })
      } else {
        addItem(item, context, conversation)
      }
    }
    return hasMessages
  }

  #begin(session: JsonObject): void {
    this.#headers++
    this.facts ??= session
    const { instructions, base_instructions: base } = session
    if (instructions || base)
      this.losses.dropValue([instructions, base], 'instructions of the session', reasons.notConversation)
  }

  #beginTask(): void {
    this.#best.carry(this.#task++)
    this.#events = 'nothing'
  }

  #add({ item, metadata }: CodexItem, source: Source, record: FileRecord, pointer: string, at: unknown) {
    if (this.#isRepeated(item, source, at)) return
    const track = trackOf(item)
    this.#follow(track, source)
    // The typed text is kept for comparison.
    if (this.#best.offer(track, item, this.#task, source) || (source === 2 && track === 'user')) {
      const place = placeIn(record, pointer)
      // Hidden thinking gets the time of the content after it.
      const isSilent = track === 'thinking' && isEmpty(item.summary) && isEmpty(item.content)
      this.#held.add(bytesOfTurn + bytesOf(item), place)
      this.#entries.push({ track, source, task: this.#task, item, place, at: isSilent ? undefined : at, metadata })
    } else {
      this.losses.noteAll(item)
      if (track === 'user' || track === 'assistant') this.#passed[track].push(markOf(textsOf(item)))
    }
  }

  /** True for a line of a history that is written again, with its times, below another header. */
  #isRepeated(item: JsonObject, source: Source, at: unknown): boolean {
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return false
    const { name, arguments: args, input, output } = item
    const id = callIdOf(item)
    const words = id === undefined ? item : [id, name, args, input, output]
    const content = markOf(item.type === 'message' ? textsOf(item) : [JSON.stringify(words)])
    const key = `${at} ${source} ${textOf(item.type)} ${textOf(item.role)} ${content}`
    const isRepeated = this.#headers > 1 && this.#written.has(key)
    if (isRepeated) this.losses.add('merged', 'repeated line', reasons.repeated)
    else this.#written.add(key)
    return isRepeated
  }

  /** In old logs, a question after an answered one begins a task. */
  #follow(track: Track, source: Source): void {
    if (track !== 'user' && track !== 'assistant' && track !== 'tools') return
    this.hasMessages = true
    if (track !== 'tools') this.#highest[track] = Math.max(this.#highest[track], source)
    if (track === 'user' && this.#events === 'answered') this.#beginTask()
    if (source > 1) this.#events = undefined
    else if (track === 'user') this.#events &&= 'asked'
    else if (this.#events === 'asked') this.#events = 'answered'
  }

  /**
   * Count losses, with messages that only a worse source has. Returns events that an item of the neighbouring task
   * repeats.
   */
  #countLost(conversation: ConversationBuilder): Set<Entry> {
    conversation.losses.addAll(this.losses.list())
    const repeated = new Set<Entry>()
    for (const track of ['user', 'assistant'] as const) {
      const worse = this.#passed[track]
      const candidates: [Entry, number][] = []
      const best: number[] = []
      for (const each of this.#entries) {
        if (each.track !== track) continue
        const mark = markOf(textsOf(each.item))
        if (this.#best.isRepeated(each)) {
          worse.push(mark)
          this.losses.noteAll(each.item)
        } else if (each.source < this.#highest[track]) candidates.push([each, mark])
        else best.push(mark)
      }
      /** Occurrences of a text in the best source, minus those matched by another source. */
      const counts = new Map<number, number>()
      for (const mark of best) counts.set(mark, (counts.get(mark) ?? 0) + 1)
      const missing = worse.filter((mark) => !counts.has(mark)).length
      const why = 'the log has the messages of that task as items'
      if (missing > 0) conversation.losses.drop(`${track} message found only in an event`, why, missing)
      for (const mark of worse) takeOne(counts, mark)
      for (const [entry, mark] of candidates) if (takeOne(counts, mark)) repeated.add(entry)
    }
    return repeated
  }
}

const whyBeside = 'the log has the calls of that task as items'

/** User messages that the user did not write: those that differ from the typed text, in tasks that record it. */
function injectedMessages(entries: readonly (Entry | Note)[]): Set<Entry> {
  const typed = new Map<number, number[]>()
  const sent = new Map<number, Entry[]>()
  for (const each of entries) {
    if (each.track !== 'user') continue
    if (each.source === 2) getOrInsert(typed, each.task, () => []).push(markOf(textsOf(each.item)))
    if (each.source === 3) getOrInsert(sent, each.task, () => []).push(each)
  }
  const found = new Set<Entry>()
  for (const [task, list] of typed) {
    const marks = new Set(list)
    const isTyped = (entry: Entry) => {
      const texts = textsOf(entry.item)
      return marks.has(markOf(texts)) || texts.some((text) => marks.has(markOf([text])))
    }
    const messages = sent.get(task) ?? []
    // If nothing matches, the two are written differently, and the comparison says nothing.
    if (messages.some(isTyped)) for (const entry of messages) if (!isTyped(entry)) found.add(entry)
  }
  return found
}

/** Decrement the count of a mark; false if none was left. */
function takeOne(counts: Map<number, number>, mark: number): boolean {
  const remaining = counts.get(mark) ?? 0
  if (remaining > 0) counts.set(mark, remaining - 1)
  return remaining > 0
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

type Track = 'user' | 'injected' | 'assistant' | 'system' | 'thinking' | 'tools'

function trackOf({ type, role, content }: JsonObject): Track {
  if (type === 'reasoning') return 'thinking'
  if (type !== 'message') return 'tools'
  if (role === 'assistant') return 'assistant'
  if (role !== 'user') return 'system'
  return injected.test(textsOf({ content })[0] ?? '') ? 'injected' : 'user'
}

const spokenTracks: readonly Track[] = ['user', 'injected', 'assistant', 'system', 'thinking']

/**
 * The best source of each item. Messages are compared by track and task, and a log does not return to a worse source.
 * Calls and results are compared by id; an event about a tool counts only in a task without items that have a call id,
 * because it otherwise happened inside another call.
 */
class BestSources {
  readonly #best = new Map<string, Source>()

  /** Record a source; false if an earlier one was better. */
  offer(track: Track, item: JsonObject, task: number, source: Source): boolean {
    if (track === 'tools' && isCall(item) && callIdOf(item) !== undefined) this.#note(`calls ${task}`, source)
    return this.#note(keyOf(track, item, task), source) <= source
  }

  /** Make the best sources of a task the minimum for the next. */
  carry(task: number): void {
    for (const track of spokenTracks) {
      const best = this.#best.get(`${track} ${task}`)
      if (best !== undefined) this.#note(`${track} ${task + 1}`, best)
    }
  }

  isRepeated({ track, item, task, source }: Entry): boolean {
    return (this.#best.get(keyOf(track, item, task)) ?? 0) > source
  }

  /** True if the item belongs to a call that is missing in a better source. */
  isBeside({ item, task, source }: Entry): boolean {
    if ((this.#best.get(`calls ${task}`) ?? 0) <= source) return false
    return isCall(item) || isSearch(item) || (this.#best.get(`call of ${callIdOf(item)}`) ?? 0) <= source
  }

  /** Returns the best source so far. */
  #note(key: string, source: Source): Source | 0 {
    const best = this.#best.get(key) ?? 0
    if (best < source) this.#best.set(key, source)
    return best
  }
}

/** The key of an item: its track and task, or the id of its call. */
function keyOf(track: Track, item: JsonObject, task: number): string {
  if (track !== 'tools') return `${track} ${task}`
  // A search has different ids as an item and as an event, or none.
  if (isSearch(item)) return `web_search ${task}`
  const id = callIdOf(item)
  return id === undefined ? `${textOf(item.type) ?? ''} ${task}` : `${isCall(item) ? 'call' : 'answer'} of ${id}`
}

function callIdOf({ call_id, id }: JsonObject): string | undefined {
  return textOf(call_id) ?? textOf(id)
}

function isSearch({ type, name }: JsonObject): boolean {
  return type === 'web_search_call' || name === 'web_search'
}

function isCall({ type }: JsonObject): boolean {
  return typeof type === 'string' && !type.endsWith('_output')
}

function textsOf({ content }: JsonObject): string[] {
  if (typeof content === 'string') return [content]
  return objectsOf(content).flatMap(({ text }) => (typeof text === 'string' ? text : []))
}

function markOf(texts: readonly string[]): number {
  const text = texts.join('\n').trim()
  let mark = text.length
  for (let at = 0; at < text.length && at < 250; at++) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193)
  return mark
}

/** Beginnings of texts that Codex adds as user messages. */
const injected =
  /^\s*(# AGENTS\.md instructions|<permissions|<hook_prompt|<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|recommended_plugins|skill|subagent_notification)>)/

import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { type FileRecord, placeIn } from '../../format/index.js'
import { isObject, type JsonObject, textOf } from '../../json/index.js'
import { addItem } from '../../messages/index.js'
import { Losses, type Place, reasons } from '../../model/index.js'
import type { CodexItem } from './event.js'
import type { CodexLine, Source } from './line.js'

/** An item that a source told in a task: tasks are counted, each begun by something the user said. */
interface Entry {
  track: Track
  source: Source
  task: number
  item: JsonObject
  place: Place
  at: unknown
  metadata: JsonObject | undefined
}

/** Something to note of the turn before, or the model of what follows. */
interface Note {
  track?: undefined
  note?: JsonObject
  model?: unknown
}

const spent: Note = {}

/** A session while its log is read. It keeps what may become turns, and of that no bulk. */
export class CodexSession {
  readonly #entries: (Entry | Note)[] = []
  readonly #best = new BestSources()
  /** The best source of the messages of the whole session. */
  readonly #highest = { user: 0, assistant: 0 }
  /** Marks of the texts that a worse source told after a better one. */
  readonly #passed: Record<'user' | 'assistant', number[]> = { user: [], assistant: [] }
  readonly losses = new Losses()
  #task = 0
  /** What of the task has been told by events, as long as they alone tell of it. */
  #events: 'nothing' | 'asked' | 'answered' | undefined = 'nothing'
  #hasMessages = false
  #model: unknown
  #first: JsonObject | undefined
  #name: unknown

  /** The facts of the session: those of its own header, which comes before that of a session it was forked from. */
  get facts(): JsonObject {
    return this.#first ?? {}
  }

  /** True if a person or the model may have said or done something by now. */
  get hasMessages(): boolean {
    return this.#hasMessages
  }

  get name(): unknown {
    return this.#name
  }

  /** Takes what a line tells; `pointer` leads to it in its record. */
  add(line: CodexLine, record: FileRecord, pointer: string, at: unknown): void {
    if (line.startsTask) this.#beginTask()
    if (line.model !== undefined && line.model !== this.#model) {
      this.#model = line.model
      this.#entries.push({ model: line.model })
    }
    if (line.name !== undefined) this.#name = line.name
    if (line.lost !== undefined) this.losses.drop(line.lost)
    for (const field of line.unread ?? []) this.losses.drop(field)
    if (line.session) this.#begin(line.session)
    for (const item of line.items ?? []) this.#add(item, line.source ?? 1, record, pointer, at)
    if (line.note) this.#entries.push({ note: line.note })
  }

  /** Says the session in a conversation; false where neither a person nor the model says or does anything in it. */
  addTo(conversation: ConversationBuilder): boolean {
    const injected = injectedMessages(this.#entries)
    const repeated = this.#countLost(conversation)
    let hasMessages = false
    let model: unknown
    for (const [index, each] of this.#entries.entries()) {
      // What has been told is a turn now, and the text it was made of need not be kept beside it.
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
        if (isCall(item)) conversation.losses.drop('tool call found only in an event', whyBeside)
        continue
      }
      const isHidden = track === 'injected' || injected.has(each)
      hasMessages ||= !isHidden && track !== 'system' && track !== 'thinking'
      if (isHidden)
        conversation.addMessage('system', item.content, {
          ...context,
          metadata: { kind: 'injected', ...context.metadata },
        })
      else
        addItem(item, context, conversation, (message) => conversation.losses.drop('item that cannot be read', message))
    }
    return hasMessages
  }

  #begin(session: JsonObject): void {
    this.#first ??= session
    if (session.instructions || session.base_instructions)
      this.losses.drop('instructions of the session', reasons.notConversation)
  }

  #beginTask(): void {
    this.#best.carry(this.#task++)
    this.#events = 'nothing'
  }

  #add({ item, metadata }: CodexItem, source: Source, record: FileRecord, pointer: string, at: unknown) {
    const track = trackOf(item)
    this.#follow(track, source)
    // What the program says the user typed is kept for comparison.
    if (this.#best.offer(track, item, this.#task, source) || (source === 2 && track === 'user')) {
      const place = placeIn(record, pointer)
      // A thought of which the log tells nothing has the time of what is said after it.
      const isSilent = track === 'thinking' && isEmpty(item.summary) && isEmpty(item.content)
      this.#entries.push({ track, source, task: this.#task, item, place, at: isSilent ? undefined : at, metadata })
    } else if (track === 'user' || track === 'assistant') this.#passed[track].push(markOf(textsOf(item)))
  }

  /** What is asked after events alone told a question and its answer begins a task, for old logs do not say so. */
  #follow(track: Track, source: Source): void {
    if (track !== 'user' && track !== 'assistant' && track !== 'tools') return
    this.#hasMessages = true
    if (track !== 'tools') this.#highest[track] = Math.max(this.#highest[track], source)
    if (track === 'user' && this.#events === 'answered') this.#beginTask()
    if (source > 1) this.#events = undefined
    else if (track === 'user') this.#events &&= 'asked'
    else if (this.#events === 'asked') this.#events = 'answered'
  }

  /**
   * Counts what the program did not tell, and messages of a worse source that the better one does not have.
   *
   * @returns events that tell in one task what an item says in the task beside it
   */
  #countLost(conversation: ConversationBuilder): Set<Entry> {
    conversation.losses.addAll(this.losses.list())
    const repeated = new Set<Entry>()
    for (const track of ['user', 'assistant'] as const) {
      const worse = this.#passed[track]
      const alone: [Entry, number][] = []
      const best: number[] = []
      for (const each of this.#entries) {
        if (each.track !== track) continue
        const mark = markOf(textsOf(each.item))
        if (this.#best.isRepeated(each)) worse.push(mark)
        else if (each.source < this.#highest[track]) alone.push([each, mark])
        else best.push(mark)
      }
      /** How often a text is said by the best source, less how often another repeats it. */
      const counts = new Map<number, number>()
      for (const mark of best) counts.set(mark, (counts.get(mark) ?? 0) + 1)
      const missing = worse.filter((mark) => !counts.has(mark)).length
      const why = 'the log has the messages of that task as items'
      if (missing > 0) conversation.losses.drop(`${track} message found only in an event`, why, missing)
      for (const mark of worse) takeOne(counts, mark)
      for (const [entry, mark] of alone) if (takeOne(counts, mark)) repeated.add(entry)
    }
    return repeated
  }
}

const whyBeside = 'the log has the calls of that task as items'

/**
 * Messages of the user's role that the user did not write: in a task in which the program says what was typed, what
 * does not match that.
 */
function injectedMessages(entries: readonly (Entry | Note)[]): Set<Entry> {
  const typed = new Map<number, number[]>()
  const sent = new Map<number, Entry[]>()
  for (const each of entries) {
    if (each.track !== 'user') continue
    if (each.source === 2) listOf(typed, each.task).push(markOf(textsOf(each.item)))
    if (each.source === 3) listOf(sent, each.task).push(each)
  }
  const found = new Set<Entry>()
  for (const [task, list] of typed) {
    const marks = new Set(list)
    const isTyped = (entry: Entry) => {
      const texts = textsOf(entry.item)
      return marks.has(markOf(texts)) || texts.some((text) => marks.has(markOf([text])))
    }
    const messages = sent.get(task) ?? []
    // Where nothing matches, the two are written differently, and nothing can be told from that.
    if (messages.some(isTyped)) for (const entry of messages) if (!isTyped(entry)) found.add(entry)
  }
  return found
}

/** Takes one of the counted marks away; whether any was left. */
function takeOne(counts: Map<number, number>, mark: number): boolean {
  const left = counts.get(mark) ?? 0
  if (left > 0) counts.set(mark, left - 1)
  return left > 0
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

function listOf<T>(lists: Map<number, T[]>, key: number): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** What is told by several sources at once. */
type Track = 'user' | 'injected' | 'assistant' | 'system' | 'thinking' | 'tools'

function trackOf({ type, role, content }: JsonObject): Track {
  if (type === 'reasoning') return 'thinking'
  if (type !== 'message') return 'tools'
  if (role === 'assistant') return 'assistant'
  if (role !== 'user') return 'system'
  return isInjected(textsOf({ content })[0] ?? '') ? 'injected' : 'user'
}

const spokenTracks: readonly Track[] = ['user', 'injected', 'assistant', 'system', 'thinking']

/**
 * The best source of each thing. Of what is said it is the best of its track in the task or in those before: a log does
 * not go back to telling less. Calls and answers are one by one the same by their id; what only an event tells of tools
 * counts in a task in which no item bears the id of a call, for else it happened inside another call.
 */
class BestSources {
  readonly #best = new Map<string, Source>()

  /** Takes note of a source; whether none before it was better. */
  offer(track: Track, item: JsonObject, task: number, source: Source): boolean {
    if (track === 'tools' && isCall(item) && callIdOf(item) !== undefined) this.#note(`calls ${task}`, source)
    return this.#note(keyOf(track, item, task), source) <= source
  }

  /** Makes what was best in a task the least for the next. */
  carry(task: number): void {
    for (const track of spokenTracks) {
      const best = this.#best.get(`${track} ${task}`)
      if (best !== undefined) this.#note(`${track} ${task + 1}`, best)
    }
  }

  /** True if a better source tells the same. */
  isRepeated({ track, item, task, source }: Entry): boolean {
    return (this.#best.get(keyOf(track, item, task)) ?? 0) > source
  }

  /** True if it is of a call that a better source should tell and does not. */
  isBeside({ item, task, source }: Entry): boolean {
    if ((this.#best.get(`calls ${task}`) ?? 0) <= source) return false
    return isCall(item) || isSearch(item) || (this.#best.get(`call of ${callIdOf(item)}`) ?? 0) <= source
  }

  /** Gives what was best before. */
  #note(key: string, source: Source): Source | 0 {
    const best = this.#best.get(key) ?? 0
    if (best < source) this.#best.set(key, source)
    return best
  }
}

/** What the best source of a task tells, or a call or an answer, which is known by its id in every task. */
function keyOf(track: Track, item: JsonObject, task: number): string {
  if (track !== 'tools') return `${track} ${task}`
  // A search bears another id as an item than as an event, or none.
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

/** The texts of a message. */
function textsOf({ content }: JsonObject): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  const texts: string[] = []
  for (const part of content) if (isObject(part) && typeof part.text === 'string') texts.push(part.text)
  return texts
}

/** A number that tells texts apart: of their length and the start of them. */
function markOf(texts: readonly string[]): number {
  const text = (texts.length === 1 ? (texts[0] ?? '') : texts.join('\n')).trim()
  let mark = text.length
  for (let at = 0; at < text.length && at < 250; at++) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193)
  return mark
}

/** How texts begin that Codex puts into the conversation as the user's. */
const beginnings = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions',
  '<INSTRUCTIONS>',
  '<turn_aborted>',
  '<user_shell_command>',
  '<permissions',
  '<recommended_plugins>',
  '<hook_prompt',
  '<skill>',
  '<subagent_notification>',
]

/** True if a text of the user's role was put there by the program. */
function isInjected(text: string): boolean {
  const start = text.trimStart()
  return beginnings.some((beginning) => start.startsWith(beginning))
}

import { type Entry, entryOf, itemOf, saidIn, silentThought, sourceIn, taskIn, trackIn } from './codex-entry.js'
import type { CodexItem } from './codex-item.js'
import type { CodexLine, Source } from './codex-line.js'
import { BestSources, isCall, markOf, type Track, textsOf, trackOf } from './codex-sources.js'
import { type FileRecord, placeIn } from './format.js'
import type { JsonObject } from './json.js'
import { sayItem } from './messages/responses.js'
import type { About, Talk } from './talk.js'
import { Tally } from './tally.js'

/** Something to note of the turn before, or the model of what follows. */
interface Note {
  kind?: undefined
  note?: JsonObject
  model?: unknown
}

const spent: Note = {}

/** A session while its log is read. It keeps what may become turns, and of that no bulk. */
export class CodexSession {
  readonly #told: (Entry | Note)[] = []
  readonly #best = new BestSources()
  /** The best source of the messages of the whole session. */
  readonly #highest = { user: 0, assistant: 0 }
  /** Marks of the texts that a worse source told after a better one. */
  readonly #passed: Record<'user' | 'assistant', number[]> = { user: [], assistant: [] }
  readonly #lost = new Map<string, number>()
  #silence: Entry | undefined
  #task = 0
  /** What of the task has been told by events, as long as they alone tell of it. */
  #events: 'nothing' | 'asked' | 'answered' | undefined = 'nothing'
  #isTalk = false
  #model: unknown
  #first: JsonObject | undefined
  #name: unknown

  /** The facts of the session: those of its own header, which comes before that of a session it was forked from. */
  get facts(): JsonObject {
    return this.#first ?? {}
  }

  /** True if a person or the model may have said or done something by now. */
  get isTalk(): boolean {
    return this.#isTalk
  }

  get name(): unknown {
    return this.#name
  }

  /** Takes what a line tells; `pointer` leads to it in its record. */
  take(line: CodexLine, record: FileRecord, pointer: string, at: unknown): void {
    if (line.startsTask) this.#beginTask()
    if (line.model !== undefined && line.model !== this.#model) {
      this.#model = line.model
      this.#told.push({ model: line.model })
    }
    if (line.name !== undefined) this.#name = line.name
    if (line.lost !== undefined) this.lose(line.lost)
    for (const field of line.unread ?? []) this.lose(field)
    if (line.session) this.#begin(line.session)
    for (const item of line.items ?? []) this.#add(item, line.source ?? 1, record, pointer, at)
    if (line.note) this.#told.push({ note: line.note })
  }

  lose(what: string): void {
    this.#lost.set(what, (this.#lost.get(what) ?? 0) + 1)
  }

  /** Says the session in a talk; false where neither a person nor the model says or does anything in it. */
  tell(talk: Talk): boolean {
    const injected = unseen(this.#told)
    const repeated = this.#countLost(talk)
    let isTalk = false
    let model: unknown
    for (const [index, each] of this.#told.entries()) {
      // What has been told is a turn now, and the text it was made of need not be kept beside it.
      this.#told[index] = spent
      if (each.kind === undefined) {
        if (each.note) talk.note(each.note)
        if (each.model !== undefined) model = each.model
        continue
      }
      if (this.#isRepeated(each) || repeated.has(each)) continue
      const { place, at, metadata } = each
      const item = itemOf(each)
      const track = trackIn(each)
      const about: About = { place, at, model, metadata }
      if (track === 'tools' && this.#best.isAside(item, taskIn(each), sourceIn(each))) {
        if (isCall(item)) talk.losses.add('dropped', 'tool call that only an event tells', whyAside)
        continue
      }
      const isHidden = track === 'injected' || injected.has(each)
      isTalk ||= !isHidden && track !== 'system' && track !== 'thinking'
      if (isHidden) talk.say('system', item.content, { ...about, metadata: { kind: 'injected', ...about.metadata } })
      else sayItem(item, about, talk, (message) => talk.losses.add('dropped', 'item that cannot be read', message))
    }
    return isTalk
  }

  #begin(session: JsonObject): void {
    this.#first ??= session
    if (session.instructions || session.base_instructions) this.lose('instructions of the session')
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
      const entry = entryOf({ track, source, task: this.#task }, item, { place, at, metadata })
      this.#told.push(entry.item === silentThought ? this.#silent(entry) : entry)
    } else if (track === 'user' || track === 'assistant') this.#passed[track].push(markOf(textsOf(item)))
  }

  /** One stands for all of a task: its turn has the place and the time of what is said after it. */
  #silent(thought: Entry): Entry {
    if (this.#silence?.kind !== thought.kind) this.#silence = { ...thought, at: undefined }
    return this.#silence
  }

  /** What is asked after events alone told a question and its answer begins a task, for old logs do not say so. */
  #follow(track: Track, source: Source): void {
    if (track !== 'user' && track !== 'assistant' && track !== 'tools') return
    this.#isTalk = true
    if (track !== 'tools') this.#highest[track] = Math.max(this.#highest[track], source)
    if (track === 'user' && this.#events === 'answered') this.#beginTask()
    if (source > 1) this.#events = undefined
    else if (track === 'user') this.#events &&= 'asked'
    else if (this.#events === 'asked') this.#events = 'answered'
  }

  #isRepeated(entry: Entry): boolean {
    return this.#best.isRepeated(trackIn(entry), itemOf(entry), taskIn(entry), sourceIn(entry))
  }

  /**
   * Counts what the program did not tell, and messages of a worse source that the better one does not have.
   *
   * @returns events that tell in one task what an item says in the task beside it
   */
  #countLost(talk: Talk): Set<Entry> {
    for (const [what, count] of this.#lost) talk.losses.add('dropped', what, whyLost(what), count)
    const repeated = new Set<Entry>()
    for (const track of ['user', 'assistant'] as const) {
      const worse = this.#passed[track]
      const alone: [Entry, number][] = []
      const best: number[] = []
      for (const each of this.#told) {
        if (each.kind === undefined || trackIn(each) !== track) continue
        const mark = markOf(saidIn(each))
        if (this.#isRepeated(each)) worse.push(mark)
        else if (sourceIn(each) < this.#highest[track]) alone.push([each, mark])
        else best.push(mark)
      }
      /** How often a text is said by the best source, less how often another repeats it. */
      const said = new Tally(best)
      const missing = worse.filter((mark) => !said.has(mark)).length
      const why = 'the log tells the messages of that task as items as well, and a second source repeats them'
      if (missing > 0) talk.losses.add('dropped', `message of the ${track} that only an event tells`, why, missing)
      for (const mark of worse) said.take(mark)
      for (const [entry, mark] of alone) if (said.take(mark)) repeated.add(entry)
    }
    return repeated
  }
}

const whyAside = 'its task tells calls as items, and what else the program did is inside them or beside the talk'

function whyLost(what: string): string {
  return what.startsWith('instructions') ? 'they are no part of the talk' : 'the service has no place for it'
}

/**
 * Messages of the user's role that the user did not write: in a task in which the program says what was typed, what
 * does not match that.
 */
function unseen(told: readonly (Entry | Note)[]): Set<Entry> {
  const typed = new Map<number, number[]>()
  const sent = new Map<number, Entry[]>()
  for (const each of told) {
    if (each.kind === undefined || trackIn(each) !== 'user') continue
    if (sourceIn(each) === 2) listOf(typed, taskIn(each)).push(markOf(saidIn(each)))
  }
  if (typed.size === 0) return new Set()
  for (const each of told) {
    if (each.kind === undefined || trackIn(each) !== 'user') continue
    if (sourceIn(each) === 3) listOf(sent, taskIn(each)).push(each)
  }
  const found = new Set<Entry>()
  for (const [task, list] of typed) {
    const marks = new Set(list)
    const isTyped = (entry: Entry) => {
      const texts = saidIn(entry)
      return marks.has(markOf(texts)) || texts.some((text) => marks.has(markOf([text])))
    }
    const messages = sent.get(task) ?? []
    // Where nothing matches, the two are written differently, and nothing can be told from that.
    if (messages.some(isTyped)) for (const entry of messages) if (!isTyped(entry)) found.add(entry)
  }
  return found
}

function listOf<T>(lists: Map<number, T[]>, key: number): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

import type { ReaderContext } from '../../contract/index.js'
import { bytesOf, bytesOfTurn, ConversationBuilder, ConversationSize } from '../../conversation/index.js'
import { defined, getOrInsert, isObject, type JsonObject, textOf } from '../../json/index.js'
import {
  type Account,
  type ConversationDraft,
  Losses,
  type Place,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { type Entry, isClearCommand } from './entry.js'
import { addEntry, keptBranch, mergeMessages, splitAtClear, Written } from './turns.js'

/** The titles of a session, by descending priority. */
export const titles = ['custom', 'ai', 'summary'] as const

const facts = Object.entries({ cwd: 'cwd', git_branch: 'gitBranch', version: 'version', slug: 'slug' })

/** The number of lines searched for facts of the session, which stand in every line. */
const firstLines = 100

export class Session {
  readonly losses: Losses
  /** The parents of all lines, also of those without content. */
  readonly parents = new Map<string, string | undefined>()
  readonly #titles = new Map<string, (typeof titles)[number]>()
  readonly #queue = {
    waiting: new Prompts(),
    /** Prompts whose turn follows. */
    due: new Prompts(),
    /** Prompts returned to the input. */
    popped: new Prompts(),
    /** Prompts given to the running turn before their removal. */
    absorbed: new Prompts(),
    /** Prompts that only a removal contains so far. */
    removed: new Map<string, Entry>(),
  }
  readonly #superseded = new Set<Entry>()
  readonly #entries: Entry[] = []
  readonly #held = new ConversationSize()
  readonly #seen = new Set<string>()
  readonly #written = new Written()
  readonly #retracted = new Set<string>()
  readonly #agents = new Map<string, { entries: Entry[]; type: string | undefined }>()
  readonly #agentOf = new Map<string, string>()
  readonly #facts: JsonObject = {}
  #noted = 0
  firstOfAgents: Place | undefined
  agentLines = 0
  id: string | undefined

  constructor(account: Account) {
    this.losses = new Losses(account)
  }

  /** True if it has no conversation to give. */
  get isEmpty(): boolean {
    return this.#agents.size === 0 && this.#entries.every((entry) => this.#isRetracted(entry))
  }

  /** Add a title. A later one of its kind replaces it as the name. */
  addTitle(kind: (typeof titles)[number], text: string): void {
    this.#titles.delete(text)
    this.#titles.set(text, kind)
  }

  /** The titles, the name first. */
  get titles(): string[] {
    const rank = (kind: (typeof titles)[number]) => titles.indexOf(kind)
    return [...this.#titles]
      .reverse()
      .sort(([, a], [, b]) => rank(a) - rank(b))
      .map(([text]) => text)
  }

  #isRetracted({ uuid }: Entry): boolean {
    return uuid !== undefined && this.#retracted.has(uuid)
  }

  note(line: JsonObject): void {
    this.id = textOf(line.sessionId) ?? this.id
    if (this.#noted++ < firstLines) for (const [key, field] of facts) this.#facts[key] ??= textOf(line[field])
    for (const list of [line.supersedesUuids, line.retractedMessageUuids]) {
      if (Array.isArray(list)) for (const uuid of list) if (typeof uuid === 'string') this.#retracted.add(uuid)
    }
    const uuid = textOf(line.uuid)
    if (uuid !== undefined) this.parents.set(uuid, textOf(line.parentUuid) ?? textOf(line.logicalParentUuid))
  }

  /** Add an entry. A resumed session repeats earlier lines. */
  add(entry: Entry): void {
    if (this.#isRepeated(entry) || this.#isWrittenAgain(entry)) return
    if (entry.role === 'user') this.#leaveQueue(entry, false)
    this.#keep(entry)
  }

  /** Add a queued prompt that the running turn received. */
  addQueued(entry: Entry): void {
    if (this.#isRepeated(entry)) return
    this.#leaveQueue(entry, true)
    this.#keep(entry)
  }

  /**
   * Read a line about the queue of prompts typed while the assistant worked. `dequeue` makes a prompt a turn, whose
   * line follows; `popAll` returns it to the input; `remove` gives it to the running turn, and this line may be its
   * only copy. A line without text means the oldest prompt.
   */
  addQueueLine(line: JsonObject, place: Place): void {
    const text = textOf(line.content)
    const time = textOf(line.timestamp)
    if (text && time && this.#isRepeated({ uuid: `queue ${line.operation} ${time} ${text}` })) return
    if (line.operation === 'enqueue') this.#queue.waiting.add(text ?? '')
    else if (line.operation === 'dequeue') this.#queue.due.add(this.#queue.waiting.take(text) ?? '')
    else if (line.operation === 'popAll') this.#queue.popped.add(this.#queue.waiting.take(text) ?? '')
    else if (line.operation === 'remove') this.#removeFromQueue(line, text, place)
  }

  #removeFromQueue({ reason, timestamp }: JsonObject, named: string | undefined, place: Place): void {
    if (this.#queue.absorbed.take(named) !== undefined) return
    const content = this.#queue.waiting.take(named) ?? named
    if (content === undefined || content.trim() === '') return
    if (reason !== undefined && reason !== 'absorbed_mid_turn')
      return this.losses.dropValue(content, 'queued message', 'it was never sent')
    const entry: Entry = { role: 'user', content, at: timestamp, place: within(place, 'content') }
    this.#queue.removed.set(content, entry)
    this.#keep(entry)
  }

  /** Remove the prompts of an entry from the queue. If two lines contain the same prompt, the later one is kept. */
  #leaveQueue({ content }: Entry, isFromQueue: boolean): void {
    const { waiting, due, popped, absorbed, removed } = this.#queue
    for (const block of typeof content === 'string' ? [content] : content) {
      const text = isObject(block) ? block.text : block
      if (typeof text !== 'string' || text.startsWith('[Request interrupted by user')) continue
      const earlier = removed.get(text)
      // A user may type the same text twice.
      if (earlier && (isFromQueue || earlier === this.#entries.at(-1))) {
        removed.delete(text)
        this.#superseded.add(earlier)
      } else if (isFromQueue) {
        waiting.take(text)
        absorbed.add(text)
      } else if (due.take(text) === undefined && waiting.take(text) === undefined && popped.take(text) === undefined) {
        // Commands and pasted text change when they leave the queue.
        due.take()
      }
    }
  }

  /** Add an entry of a sub-agent. New lines have its id; older ones belong to the sub-agent of their parent. */
  addOfAgent(line: JsonObject, entry: Entry): void {
    if (this.#isRepeated(entry)) return
    const parent = textOf(line.parentUuid)
    const root = parent === undefined ? undefined : this.#agentOf.get(parent)
    const key = textOf(line.agentId) ?? root ?? entry.uuid ?? 'sub-agent'
    if (entry.uuid !== undefined) this.#agentOf.set(entry.uuid, key)
    const agent = getOrInsert(this.#agents, key, () => ({ entries: [], type: undefined }))
    agent.type ??= textOf(line.attributionAgent)
    agent.entries.push(entry)
    this.#held.add(bytesOfTurn + bytesOf(entry.content), entry.place)
  }

  #keep(entry: Entry): void {
    this.#entries.push(entry)
    this.#held.add(bytesOfTurn + bytesOf(entry.content), entry.place)
  }

  #isRepeated({ uuid }: Pick<Entry, 'uuid'>): boolean {
    if (uuid === undefined) return false
    const isRepeated = this.#seen.has(uuid)
    this.#seen.add(uuid)
    if (isRepeated) this.losses.add('merged', 'repeated line', reasons.repeated)
    return isRepeated
  }

  #isWrittenAgain(entry: Entry): boolean {
    const first = this.#written.add(entry)
    if (first === undefined) return false
    // The lines after it continue the first one.
    if (entry.uuid !== undefined) this.parents.set(entry.uuid, first.uuid)
    this.losses.add('merged', 'repeated line', reasons.repeated)
    return true
  }

  /** Its conversations; the first has the losses of the session. */
  drafts(context: ReaderContext): ConversationDraft[] {
    const drafts = [...this.#ownDrafts(context), ...this.#agentDrafts(context)]
    const [first] = drafts
    if (first) {
      this.losses.addAll(first.losses)
      first.losses = this.losses.list()
    }
    return drafts
  }

  #ownDrafts(context: ReaderContext): ConversationDraft[] {
    const { options } = context
    const all = this.#entries.filter((entry) => !this.#superseded.has(entry))
    const entries = all.filter((entry) => !this.#isRetracted(entry))
    if (entries.length === 0) return []
    if (all.length > entries.length) {
      this.losses.drop('retracted message', 'it was retracted', all.length - entries.length)
    }
    const main = keptBranch(entries, this.parents)
    if (main.abandoned > 0 && !options.branches) {
      this.losses.drop('message of another branch', reasons.branches, main.abandoned)
    }
    const kept = new Set(options.branches ? entries : main.entries)
    for (const entry of this.#entries) if (!kept.has(entry)) this.losses.noteAll(entry.content)
    if (this.agentLines > 0 && !options.subagents) {
      this.losses.drop('message of a sub-agent', reasons.subagents, this.agentLines)
    }
    const { waiting, due, popped } = this.#queue
    const unsent = waiting.size + due.size + popped.size
    if (unsent > 0) this.losses.drop('queued message', 'it was never sent', unsent)
    for (const prompts of [waiting, due, popped]) this.losses.noteEach(prompts.texts)
    const parts = splitAtClear(main.entries)
    // A title of a session that was cleared may be that of any part.
    const [name, ...others] = parts.length === 1 ? this.titles : [undefined, ...this.titles]
    const drafts = parts.map((part, index) => {
      const more = index === 0 && others.length > 0 ? { titles: others } : {}
      const id = index === 0 ? this.id : `${this.id ?? ''}#${index + 1}`
      return this.#draft(part, new ConversationBuilder(context), id, more, name)
    })
    if (!options.branches) return drafts
    const branches = main.others().map(({ leaf, entries: branch }) =>
      this.#draft(branch, new ConversationBuilder(context), this.#idOf(leaf), {
        parent_session: this.id,
        branch: true,
      }),
    )
    return [...drafts, ...branches]
  }

  #agentDrafts(context: ReaderContext): ConversationDraft[] {
    return [...this.#agents].map(([key, { entries, type }]) => {
      const facts = { parent_session: this.id, ...(type !== undefined && { agent_type: type }) }
      return this.#draft(entries, new ConversationBuilder(context), this.#idOf(key), facts)
    })
  }

  #idOf(part: string): string {
    return this.id === undefined ? part : `${this.id}/${part}`
  }

  #draft(
    entries: readonly Entry[],
    conversation: ConversationBuilder,
    externalId: string | undefined,
    more: JsonObject,
    title?: string | undefined,
  ): ConversationDraft {
    let first: string | undefined
    for (const entry of mergeMessages(entries, this.parents, conversation.losses)) {
      const text = addEntry(entry, conversation)
      if (!isClearCommand(entry)) first ??= text
    }
    return conversation.build({
      name: title ?? (first === undefined ? undefined : heading(first)),
      externalId,
      metadata: defined<JsonObject>({ ...this.#facts, ...more }),
      place: entries[0]?.place ?? startOfFile,
    })
  }
}

function heading(text: string): string {
  const [line = ''] = text.trimStart().slice(0, 400).split('\n')
  const points = [...line]
  return points.length > 100 ? `${points.slice(0, 100).join('')}…` : line
}

/** Prompts in order of arrival; equal prompts share one place. */
class Prompts {
  readonly #counts = new Map<string, number>()
  size = 0

  add(text: string): void {
    if (text === '') return
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
    this.size++
  }

  get texts(): string[] {
    return [...this.#counts.keys()]
  }

  /** Remove a prompt, by default the oldest. */
  take(named?: string): string | undefined {
    const text = named ?? this.#counts.keys().next().value
    const count = text === undefined ? undefined : this.#counts.get(text)
    if (text === undefined || count === undefined) return undefined
    if (count === 1) this.#counts.delete(text)
    else this.#counts.set(text, count - 1)
    this.size--
    return text
  }
}

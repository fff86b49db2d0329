import { ConversationBuilder } from '../../conversation/index.js'
import { defined, isObject, type JsonObject, textOf } from '../../json/index.js'
import { type Draft, Losses, type Place, type ReadOptions, reasons, startOfFile, within } from '../../model/index.js'
import { type Entry, isClearCommand } from './entry.js'
import { addEntry, keptBranch, mergeMessages, splitAtClear } from './turns.js'

export const sourceSystem = 'claude-code'

/** The titles of a session, the better ones first. */
export const titles = ['custom', 'ai', 'summary'] as const

const facts = [
  ['cwd', 'cwd'],
  ['git_branch', 'gitBranch'],
  ['version', 'version'],
  ['slug', 'slug'],
] as const

/** The facts of a session stand in each line; so many are looked at. */
const firstLines = 100

/** One session while its lines are read: what its turns need, and who came before whom. */
export class Session {
  readonly losses = new Losses()
  /** Parents of all lines, also of those that say nothing. */
  readonly parents = new Map<string, string | undefined>()
  readonly title = new Map<(typeof titles)[number], string>()
  readonly #queue = {
    waiting: new Prompts(),
    /** Those whose own turn is to follow. */
    due: new Prompts(),
    /** Those that were put back into the input. */
    popped: new Prompts(),
    /** Those that a line has given to the running turn before they were removed. */
    absorbed: new Prompts(),
    /** Those of which a removal is the only line so far. */
    removed: new Map<string, Entry>(),
  }
  readonly #superseded = new Set<Entry>()
  readonly #entries: Entry[] = []
  readonly #seen = new Set<string>()
  readonly #retracted = new Set<string>()
  readonly #agents = new Map<string, { entries: Entry[]; type: string | undefined }>()
  readonly #agentOf = new Map<string, string>()
  readonly #facts: JsonObject = {}
  #noted = 0
  /** Where the first line of a sub-agent stands, and how many there are. */
  firstOfAgents: Place | undefined
  agentLines = 0
  id: string | undefined

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** Facts and links of a line, whatever it says. */
  note(line: JsonObject): void {
    this.id = textOf(line.sessionId) ?? this.id
    if (this.#noted++ < firstLines) for (const [key, field] of facts) this.#facts[key] ??= textOf(line[field])
    for (const list of [line.supersedesUuids, line.retractedMessageUuids]) {
      if (Array.isArray(list)) for (const uuid of list) if (typeof uuid === 'string') this.#retracted.add(uuid)
    }
    const uuid = textOf(line.uuid)
    if (uuid !== undefined) this.parents.set(uuid, textOf(line.parentUuid) ?? textOf(line.logicalParentUuid))
  }

  /** Takes what a line says; sessions that go on in a copy repeat their lines. */
  add(entry: Entry): void {
    if (this.#isRepeated(entry)) return
    if (entry.role === 'user') this.#leaveQueue(entry, false)
    this.#entries.push(entry)
  }

  /** Takes a queued prompt that the running turn was given, by the line that holds it. */
  addQueued(entry: Entry): void {
    if (this.#isRepeated(entry)) return
    this.#leaveQueue(entry, true)
    this.#entries.push(entry)
  }

  /**
   * Takes a line about the queue of prompts that were typed while the assistant worked. Each leaves it once: `dequeue`
   * makes it a turn, whose line follows; `popAll` puts it back where it was typed; `remove` gives it to the turn that
   * runs, for which this line may be the only one that holds it. Lines without a text mean the oldest prompt.
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
    if (reason !== undefined && reason !== 'absorbed_mid_turn') {
      this.losses.drop('queued message', 'it was never sent')
      return
    }
    const context = { uuid: undefined, message: undefined, model: undefined, kind: undefined }
    const entry: Entry = { ...context, role: 'user', content, at: timestamp, place: within(place, 'content') }
    this.#queue.removed.set(content, entry)
    this.#entries.push(entry)
  }

  /** Notes which prompts of the queue a line says. Of two lines that say the same one the later tells more of it. */
  #leaveQueue({ content }: Entry, isFromQueue: boolean): void {
    const { waiting, due, popped, absorbed, removed } = this.#queue
    for (const block of typeof content === 'string' ? [content] : content) {
      const text = isObject(block) ? block.text : block
      if (typeof text !== 'string' || text.startsWith('[Request interrupted by user')) continue
      const earlier = removed.get(text)
      // A user who types the same words again says them again.
      if (earlier && (isFromQueue || earlier === this.#entries.at(-1))) {
        removed.delete(text)
        this.#superseded.add(earlier)
      } else if (isFromQueue) {
        waiting.take(text)
        absorbed.add(text)
      } else if (due.take(text) === undefined && waiting.take(text) === undefined && popped.take(text) === undefined) {
        // Commands and pasted texts are rewritten when they leave the queue.
        due.take()
      }
    }
  }

  /** Takes what a sub-agent says: new lines bear its id, and older ones belong to that of their parent. */
  addOfAgent(line: JsonObject, entry: Entry): void {
    if (this.#isRepeated(entry)) return
    const parent = textOf(line.parentUuid)
    const root = parent === undefined ? undefined : this.#agentOf.get(parent)
    const key = textOf(line.agentId) ?? root ?? entry.uuid ?? 'sub-agent'
    if (entry.uuid !== undefined) this.#agentOf.set(entry.uuid, key)
    const agent = this.#agents.get(key) ?? { entries: [], type: undefined }
    agent.type ??= textOf(line.attributionAgent)
    this.#agents.set(key, agent)
    agent.entries.push(entry)
  }

  #isRepeated({ uuid }: Pick<Entry, 'uuid'>): boolean {
    if (uuid === undefined) return false
    const isRepeated = this.#seen.has(uuid)
    this.#seen.add(uuid)
    if (isRepeated) this.losses.add('merged', 'repeated line', reasons.repeated)
    return isRepeated
  }

  drafts(options: ReadOptions): Draft[] {
    return [...this.#ownDrafts(options), ...this.#agentDrafts(options)]
  }

  #ownDrafts(options: ReadOptions): Draft[] {
    const all = this.#entries.filter((entry) => !this.#superseded.has(entry))
    const entries = all.filter(({ uuid }) => uuid === undefined || !this.#retracted.has(uuid))
    if (entries.length === 0) return []
    if (all.length > entries.length) {
      this.losses.drop('retracted message', 'it was retracted', all.length - entries.length)
    }
    const kept = keptBranch(entries, this.parents)
    if (kept.left > 0 && !options.branches) {
      this.losses.drop('message of another branch', reasons.branches, kept.left)
    }
    if (this.agentLines > 0 && !options.subagents) {
      this.losses.drop('message of a sub-agent', reasons.subagents, this.agentLines)
    }
    const { waiting, due, popped } = this.#queue
    const unsent = waiting.size + due.size + popped.size
    if (unsent > 0) this.losses.drop('queued message', 'it was never sent', unsent)
    const parts = splitAtClear(kept.entries)
    const title = titles.map((kind) => this.title.get(kind)).find((found) => found !== undefined)
    const drafts = parts.map((part, index) => {
      const conversation = new ConversationBuilder(options)
      if (index === 0) conversation.losses.addAll(this.losses.list())
      const name = parts.length === 1 ? title : undefined
      return this.#draft(part, conversation, index === 0 ? this.id : `${this.id ?? ''}#${index + 1}`, {}, name)
    })
    if (!options.branches) return drafts
    const others = kept.others.map(({ leaf, entries: way }) =>
      this.#draft(way, new ConversationBuilder(options), this.#idOf(leaf), { parent_session: this.id, branch: true }),
    )
    return [...drafts, ...others]
  }

  #agentDrafts(options: ReadOptions): Draft[] {
    return [...this.#agents].map(([key, { entries, type }]) => {
      const facts = { parent_session: this.id, ...(type !== undefined && { agent_type: type }) }
      return this.#draft(entries, new ConversationBuilder(options), this.#idOf(key), facts)
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
  ): Draft {
    let first: string | undefined
    for (const entry of mergeMessages(entries, this.parents)) {
      const text = addEntry(entry, conversation)
      if (!isClearCommand(entry)) first ??= text
    }
    return conversation.build({
      name: title ?? (first === undefined ? undefined : heading(first)),
      sourceSystem,
      externalId,
      metadata: defined<JsonObject>({ ...this.#facts, ...more }),
      place: entries[0]?.place ?? startOfFile,
    })
  }
}

/** The first line of a text, within the length of a title. */
function heading(text: string): string {
  const [line = ''] = text.trimStart().slice(0, 400).split('\n')
  const points = [...line]
  return points.length > 100 ? `${points.slice(0, 100).join('')}…` : line
}

/** Prompts in the order in which they came; equal ones count as one place in it. */
class Prompts {
  readonly #counts = new Map<string, number>()
  size = 0

  /** An empty prompt takes part in no count. */
  add(text: string): void {
    if (text === '') return
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
    this.size++
  }

  /** Takes a prompt out, the oldest unless one is named; undefined where there is none. */
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

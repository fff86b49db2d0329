import { keptOf } from './claude-code-branch.js'
import { type Entry, isClear } from './claude-code-entry.js'
import { folded, partsOf, sayEntry } from './claude-code-turns.js'
import { defined, isObject, type JsonObject, textOf } from './json.js'
import { Losses } from './losses.js'
import { mapped } from './mapped.js'
import type { ReadOptions } from './read-options.js'
import { Talk } from './talk.js'
import type { Draft, Place } from './turn.js'

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
  /** What was typed while the assistant worked, until it is said. */
  readonly queued = new Set<string>()
  readonly #entries: Entry[] = []
  readonly #taken = new Set<string>()
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
    if (this.queued.size > 0 && entry.role === 'user') this.#isSent(entry)
    this.#entries.push(entry)
  }

  #isSent({ content }: Entry): void {
    for (const said of typeof content === 'string' ? [content] : content) {
      const text = isObject(said) ? said.text : said
      if (typeof text === 'string') this.queued.delete(text)
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

  #isRepeated({ uuid }: Entry): boolean {
    if (uuid === undefined) return false
    const isRepeated = this.#taken.has(uuid)
    this.#taken.add(uuid)
    if (isRepeated)
      this.losses.add('merged', 'line that stands in the file before', 'a resumed session copies its lines')
    return isRepeated
  }

  drafts(options: ReadOptions): Draft[] {
    return [...this.#ownDrafts(options), ...this.#agentDrafts(options)]
  }

  #ownDrafts(options: ReadOptions): Draft[] {
    const entries = this.#entries.filter(({ uuid }) => uuid === undefined || !this.#retracted.has(uuid))
    if (entries.length === 0) return []
    if (this.#entries.length > entries.length) {
      this.losses.add('dropped', 'retracted message', 'it was taken back', this.#entries.length - entries.length)
    }
    const kept = keptOf(entries, this.parents)
    if (kept.left > 0 && !options.branches) {
      this.losses.add('dropped', 'message of another branch', 'it is left out unless branches are asked for', kept.left)
    }
    if (this.agentLines > 0 && !options.subagents) {
      this.losses.add('dropped', 'message of a sub-agent', 'it is left out unless asked for', this.agentLines)
    }
    if (this.queued.size > 0) this.losses.add('dropped', 'queued message', 'it was never sent', this.queued.size)
    const parts = partsOf(kept.entries)
    const title = mapped(titles, (kind) => this.title.get(kind)).find((found) => found !== undefined)
    const drafts = mapped(parts, (part, index) => {
      const talk = new Talk(options)
      if (index === 0) talk.losses.addAll(this.losses.list())
      const name = parts.length === 1 ? title : undefined
      return this.#draft(part, talk, index === 0 ? this.id : `${this.id ?? ''}#${index + 1}`, {}, name)
    })
    if (!options.branches) return drafts
    const others = mapped(kept.others, ({ leaf, entries: way }) =>
      this.#draft(way, new Talk(options), this.#idOf(leaf), { parent_session: this.id, branch: true }),
    )
    return [...drafts, ...others]
  }

  #agentDrafts(options: ReadOptions): Draft[] {
    return mapped([...this.#agents], ([key, { entries, type }]) => {
      const facts = { parent_session: this.id, ...(type !== undefined && { agent_type: type }) }
      return this.#draft(entries, new Talk(options), this.#idOf(key), facts)
    })
  }

  #idOf(part: string): string {
    return this.id === undefined ? part : `${this.id}/${part}`
  }

  #draft(
    entries: readonly Entry[],
    talk: Talk,
    externalId: string | undefined,
    more: JsonObject,
    title?: string | undefined,
  ): Draft {
    let first: string | undefined
    for (const entry of folded(entries, this.parents)) {
      const words = sayEntry(entry, talk)
      if (!isClear(entry)) first ??= words
    }
    return talk.draft({
      name: title ?? (first === undefined ? undefined : heading(first)),
      sourceSystem,
      externalId,
      metadata: defined<JsonObject>({ ...this.#facts, ...more }),
      place: entries[0]?.place ?? { record: 1, offset: 0, pointer: '' },
    })
  }
}

/** The first line of a text, within the length of a title. */
function heading(text: string): string {
  const [line = ''] = text.trimStart().slice(0, 400).split('\n')
  const points = [...line]
  return points.length > 100 ? `${points.slice(0, 100).join('')}…` : line
}

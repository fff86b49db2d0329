import { getOrInsert } from '../json/index.js'
import type { ConversationDraft, Place, Problem, UnreadConversations } from '../model/index.js'
import { draftsAround, keyOfRecord, recordsOf } from './drafts-around.js'

interface Entry {
  problem: Problem
  place: Place
  origin: object | undefined
}

/** How a reader holds its conversations: see `Reader`. */
export interface Holding {
  /** A problem of an unknown conversation costs those that wait. */
  isBlocking: boolean
  isInterleaved: boolean
}

const mostIds = 20

/** Finds the conversations that each problem costs. */
export class Attribution {
  /** The problems that no conversation was found for yet, by their record. */
  readonly #byRecord = new Map<string, Set<Entry>>()
  readonly #byOrigin = new Map<object, Set<Entry>>()
  /** The problems of the same conversations. */
  readonly #together = new Map<UnreadConversations, Set<Problem>>()
  readonly #late = new Map<string, UnreadConversations>()
  /** Those whose record may be of another conversation. */
  readonly #uncertain = new Set<Problem>()

  isUncertain(problem: Problem): boolean {
    return this.#uncertain.has(problem)
  }

  add(problem: Problem, place: Place, origin?: object): void {
    const entry = { problem, place, origin }
    getOrInsert(this.#byRecord, keyOfRecord(place), () => new Set()).add(entry)
    if (origin) getOrInsert(this.#byOrigin, origin, () => new Set()).add(entry)
  }

  /** Add the problem of a record of a conversation that was given. False if the conversation has a problem already, which then names the record. */
  addLate(id: string, problem: Problem): boolean {
    const { record = 0 } = problem
    const known = this.#late.get(id)
    if (known) known.records.push(record)
    else {
      problem.conversations = { count: 1, ids: [id], records: [record], isGiven: true }
      this.#late.set(id, problem.conversations)
    }
    return known === undefined
  }

  /** Those of the drafts that are not to be given, because a problem costs them. */
  unreadOf(
    drafts: readonly ConversationDraft[],
    { isBlocking, isInterleaved }: Holding,
  ): ReadonlySet<ConversationDraft> {
    const costs = new Map<ConversationDraft, Problem[]>()
    if (drafts.length === 0) return new Set()
    const add = (draft: ConversationDraft, problems: readonly Problem[], isUncertain: boolean) => {
      if (problems.length === 0) return
      const known = getOrInsert(costs, draft, () => [])
      for (const problem of problems) known.push(problem)
      if (isUncertain) for (const problem of problems) this.#uncertain.add(problem)
    }
    for (const draft of drafts) add(draft, draft.lostRecords ?? [], true)
    if (this.#byRecord.size > 0) {
      for (const [entry, found] of this.#found(drafts)) {
        for (const draft of found) add(draft, [entry.problem], false)
        this.#remove(entry)
      }
      const waiting = isBlocking ? [...this.#byRecord.values()].flatMap((entries) => [...entries]) : []
      for (const draft of waiting.length > 0 ? drafts : []) {
        const { record, member } = draft.place
        const isAfter = ({ place }: Entry) => place.member === member && place.record >= record
        add(
          draft,
          waiting.filter((entry) => isInterleaved || isAfter(entry)).map(({ problem }) => problem),
          true,
        )
      }
    }
    for (const [draft, problems] of costs) this.#cost(draft, problems)
    return new Set(costs.keys())
  }

  /** The problems that belong to some of the drafts, with these. */
  *#found(drafts: readonly ConversationDraft[]): Generator<[Entry, readonly ConversationDraft[]]> {
    for (const draft of drafts) {
      for (const origin of draft.origins ?? []) {
        for (const entry of [...(this.#byOrigin.get(origin) ?? [])]) yield [entry, [draft]]
      }
    }
    const around = draftsAround(drafts)
    for (const key of new Set(drafts.flatMap(recordsOf))) {
      for (const entry of [...(this.#byRecord.get(key) ?? [])]) {
        const found = around(entry.place)
        if (found.length > 0) yield [entry, found]
      }
    }
  }

  /** Add a draft to the conversations that the problems cost; problems with a common one cost all of them together. */
  #cost(draft: ConversationDraft, problems: readonly Problem[]): void {
    const [all = { count: 0, ids: [], records: [] }, ...others] = new Set(
      problems.flatMap(({ conversations }) => conversations ?? []),
    )
    const members = this.#together.get(all) ?? new Set()
    this.#together.set(all, members)
    const join = (problem: Problem) => {
      members.add(problem)
      problem.conversations = all
    }
    for (const other of others) {
      all.count += other.count
      all.ids.push(...other.ids.slice(0, mostIds - all.ids.length))
      for (const record of other.records) all.records.push(record)
      for (const problem of this.#together.get(other) ?? []) join(problem)
      this.#together.delete(other)
    }
    for (const problem of problems) {
      if (problem.conversations === all) continue
      if (problem.record !== undefined) all.records.push(problem.record)
      join(problem)
    }
    all.count++
    if (draft.externalId !== undefined && all.ids.length < mostIds) all.ids.push(draft.externalId)
    const places = draft.rows ?? [draft.place, ...draft.turns.map(({ place }) => place)]
    for (const record of new Set(places.map((place) => place.record))) all.records.push(record)
  }

  #remove(entry: Entry): void {
    drop(this.#byRecord, keyOfRecord(entry.place), entry)
    if (entry.origin) drop(this.#byOrigin, entry.origin, entry)
  }
}

function drop<Key>(map: Map<Key, Set<Entry>>, key: Key, entry: Entry): void {
  const entries = map.get(key)
  entries?.delete(entry)
  if (entries?.size === 0) map.delete(key)
}

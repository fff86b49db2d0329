import type { Shard } from '../shard.js'
import { DigestMap } from './digest-map.js'
import { fold, hasUnknownOutcome, type Intent, type Item, type LedgerEvent } from './events.js'
import { cannotOpen } from './failure.js'
import { eventsOf, ledgerFiles } from './files.js'
import { type Identity, keyOf, shardFor, type Target } from './identity.js'

/** What is known of an item; undefined where it was never heard of. */
export type EntryState =
  /** Stored under this id; `by` says whether the item itself was, or another that was made of the same record. */
  | { state: 'done'; id: string; by: 'key' | 'source' }
  /**
   * Sent perhaps: an intent that nothing closed, or that was closed as unknown. `at` is the intent's, in ISO 8601. `key`
   * is that of the item in doubt, which is another one where it was made of the same record.
   */
  | { state: 'open' | 'unknown'; key: string; at: string; candidates: string[] }
  | { state: 'refused'; status: number }
  | { state: 'unsent' }

/** An item whose fate is not known. */
export interface UnresolvedEntry extends Intent {
  state: 'open' | 'unknown'
  /** When it was first sent without its fate becoming known, in ISO 8601, by the clock of the machine that sent it. */
  since: string
  /** When it was last sent. */
  at: string
  /** Ids that may be it. */
  candidates: readonly string[]
  /** Ids under which it was stored before. */
  ids: readonly string[]
  /** When this process wrote its intent or first asked the service about it, in milliseconds; undefined if neither. */
  knownSince?: number | undefined
}

export type EntryStates = ReturnType<typeof createEntryStates>

/** What is known of items, read without a lock and without making anything: another process may be writing. */
export function readOnlyView(
  folder: string | undefined,
  target: Target,
): Pick<EntryStates, 'standing' | 'changedFrom'> {
  const standings = createEntryStates(target, undefined)
  if (folder === undefined) return standings
  try {
    for (const { event } of eventsOf(ledgerFiles(folder, target))) standings.recall(event)
  } catch (error) {
    throw cannotOpen(folder, error)
  }
  return standings
}

/**
 * What is known of all items of a target, by key and by the record that they were made of. Of those that are stored, whose
 * number has no bound, hardly more than the id is held.
 */
export function createEntryStates(target: Target, shard: Shard | undefined) {
  /** The row of each key, from 1. */
  const rows = new DigestMap()
  /** By row: all that is known, or the id alone where it is stored under one. */
  const items: (Item | string | undefined)[] = [undefined]
  const occurrences: number[] = [0]
  /** By record: the row of what was last made of it. */
  const bySource = new DigestMap()
  /** By external id and part: what was last sent under it before the ledger was opened. */
  const byExternalId = new Map<string, Pick<Identity, 'key' | 'content'>>()
  /** Ids of what was forgotten since, and all of them once they are asked for. */
  const gone: string[] = []
  let claimed: Set<string> | undefined
  let last = 0

  function itemAt(row: number, key: string): Item | undefined {
    const known = items[row]
    return typeof known === 'string' ? { ...stored, key, ids: [known] } : known
  }

  const itemOf = (key: string): Item | undefined => itemAt(rows.get(key), key)

  /** The item that was made of the same record, when it was made into something else. */
  function sibling({ content, part, source }: Identity): Item | undefined {
    const row = source === undefined ? 0 : bySource.get(placeOf(source, part))
    const own = rows.get(keyOf(target, content, occurrences[row] ?? 1, part))
    return row === own ? undefined : itemAt(row, '')
  }

  function tell(event: LedgerEvent): void {
    last = Math.max(last, event.n)
    const { key } = event
    const row = rows.get(key) || items.push(undefined) - 1
    rows.set(key, row)
    const before = itemAt(row, key)
    if (event.event === 'intent') {
      occurrences[row] = event.occurrence
      if (event.source !== undefined) bySource.set(placeOf(event.source, event.part), row)
    }
    if (event.event === 'done') claimed?.add(event.id)
    if (event.event === 'forgotten' && before) gone.push(...before.ids)
    const item = fold(before, event)
    const [id, more] = item?.ids ?? []
    items[row] = item?.state === 'done' && id !== undefined && more === undefined ? id : item
  }

  return {
    /** The number of the next event. */
    count: (): number => ++last,

    tell,

    /** Tells of an event that an earlier run wrote. */
    recall(event: LedgerEvent): void {
      tell(event)
      if (event.event === 'intent' && event.externalId !== undefined) {
        const { key, content, part } = event
        byExternalId.set(placeOf(event.externalId, part), { key, content })
      }
    },

    /** What is known of an item by its key, else of what was made of the same record before. */
    standing(identity: Identity): EntryState | undefined {
      const own = itemOf(identity.key)
      if (own) return entryStateOf(own, 'key')
      const other = sibling(identity)
      return other && (other.ids.length > 0 || hasUnknownOutcome(other)) ? entryStateOf(other, 'source') : undefined
    },

    /**
     * The id of what an earlier run stored under the same external id with other content, such as a session that grew
     * since; of several, the one that was sent last.
     */
    changedFrom({ content, part }: Identity, externalId: string | undefined): string | undefined {
      const earlier = externalId === undefined ? undefined : byExternalId.get(placeOf(externalId, part))
      if (!earlier || earlier.content === content) return undefined
      return itemOf(earlier.key)?.ids.at(-1)
    },

    /** Items whose fate is not known, but for those of other shards. */
    open(): UnresolvedEntry[] {
      const isOurs = (content: string) => !shard || shardFor(content, shard.of) === shard.index
      return items.flatMap((item) =>
        typeof item === 'object' && hasUnknownOutcome(item) && item.intent && isOurs(item.intent.content)
          ? unresolvedEntry(item, item.intent)
          : [],
      )
    },

    /** Whether an id is known to be an upload of this ledger's. */
    claimed(id: string): boolean {
      claimed ??= new Set([...gone, ...items.flatMap((item) => (typeof item === 'string' ? item : (item?.ids ?? [])))])
      return claimed.has(id)
    },

    /** All that is known of an item; less of one that is stored. */
    item: itemOf,
  }
}

/** What is left of an item that is stored under one id. */
const stored = { state: 'done', at: '', run: '', candidates: [] } as const

const placeOf = (source: string, part: number): string => (part === 1 ? source : `${source} ${part}`)

function entryStateOf(
  { key, ids, state, candidates, sentAt = '', refusal = 0 }: Item,
  by: 'key' | 'source',
): EntryState {
  const id = ids.at(-1)
  if (id !== undefined) return { state: 'done', id, by }
  if (state === 'open' || state === 'unknown') return { state, key, at: sentAt, candidates: [...candidates] }
  return state === 'refused' ? { state, status: refusal } : { state: 'unsent' }
}

function unresolvedEntry(
  { state, sentAt, since, candidates, ids }: Item,
  { event: _, n: __, run: ___, at, ...intent }: NonNullable<Item['intent']>,
): UnresolvedEntry {
  const isOpen = state === 'open'
  return { ...intent, state: isOpen ? state : 'unknown', at: sentAt ?? at, since: since ?? at, candidates, ids }
}

import type { Shard } from '../shard.js'
import type { OpenItem, Standing } from './contract.js'
import { DigestMap } from './digest-map.js'
import type { LedgerEvent } from './events.js'
import { fold, type Item, isInDoubt, type Sent } from './fold.js'
import { type Identity, keyOf, shardFor, type Target } from './identity.js'

/**
 * What is known of all items of a target, by key and by the record that they were made of. Of those that are stored, whose
 * number has no bound, hardly more than the id is held.
 */
export function createStandings(target: Target, shard: Shard | undefined) {
  /** The row of each key, from 1. */
  const rows = new DigestMap(32)
  /** By row: all that is known, or the id alone where it is stored under one. */
  const items: (Item | string | undefined)[] = [undefined]
  /** Of those of which only the id is held: the status, where it is another than that of the first. */
  const statuses = new Map<number, string | undefined>()
  let usual: { status: string | undefined } | undefined
  /** By record: the row of what was made of it. */
  const bySource = new DigestMap(64)
  /** The same, where its occurrence is not the first. */
  const again = new Map<string, { row: number; occurrence: number }>()
  /** By external id and part: what was last sent under it before the ledger was opened. */
  const byExternalId = new Map<string, Pick<Identity, 'key' | 'content'>>()
  /** Ids of what was forgotten since, and all of them once they are asked for. */
  const gone: string[] = []
  let claimed: Set<string> | undefined
  let last = 0

  const isOurs = (content: string): boolean => !shard || shardFor(content, shard.of) === shard.index

  function rowOf(key: string): number {
    const known = rows.get(key)
    if (known > 0) return known
    rows.set(key, items.length)
    return items.push(undefined) - 1
  }

  function itemAt(row: number, key: string): Item | undefined {
    const known = items[row]
    if (typeof known !== 'string') return known
    const status = statuses.has(row) ? statuses.get(row) : usual?.status
    return { key, state: 'done', at: '', run: '', ids: [known], status, candidates: none }
  }

  function keep(row: number, item: Item | undefined): void {
    const [id] = item?.ids ?? []
    if (item?.state !== 'done' || id === undefined || item.ids.length > 1) {
      items[row] = item?.state === 'done' ? lean(item) : item
      return
    }
    items[row] = id
    usual ??= { status: item.status }
    if (item.status === usual.status) statuses.delete(row)
    else statuses.set(row, item.status)
  }

  function keepSource(place: string, row: number, occurrence: number): void {
    if (occurrence === 1) {
      again.delete(place)
      bySource.set(place, row)
    } else again.set(place, { row, occurrence })
  }

  /** The item that was made of the same record, when it was made into something else. */
  function sibling({ content, part, source }: Identity): Item | undefined {
    if (source === undefined) return undefined
    const place = placeOf(source, part)
    const { row, occurrence } = again.get(place) ?? { row: bySource.get(place), occurrence: 1 }
    if (row === 0 || rows.get(keyOf(target, content, occurrence, part)) === row) return undefined
    return itemAt(row, '')
  }

  function tell(event: LedgerEvent): void {
    last = Math.max(last, event.n)
    const row = rowOf(event.key)
    const before = itemAt(row, event.key)
    if (event.event === 'intent' && event.source !== undefined) {
      keepSource(placeOf(event.source, event.part), row, event.occurrence)
    }
    if (event.event === 'done') claimed?.add(event.id)
    if (event.event === 'forgotten' && before) gone.push(...before.ids)
    keep(row, fold(before, event))
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

    of(identity: Identity): Standing | undefined {
      const own = itemAt(rows.get(identity.key), identity.key)
      if (own) return standingOf(own, 'key')
      const other = sibling(identity)
      return other && (other.ids.length > 0 || isInDoubt(other)) ? standingOf(other, 'source') : undefined
    },

    changedFrom({ content, part }: Identity, externalId: string | undefined): string | undefined {
      const earlier = externalId === undefined ? undefined : byExternalId.get(placeOf(externalId, part))
      if (!earlier || earlier.content === content) return undefined
      return itemAt(rows.get(earlier.key), earlier.key)?.ids.at(-1)
    },

    open: (): OpenItem[] =>
      items.flatMap((item) =>
        typeof item === 'object' && isInDoubt(item) && item.intent && isOurs(item.intent.content)
          ? [openItem(item, item.intent)]
          : [],
      ),

    claimed(id: string): boolean {
      claimed ??= new Set([...gone, ...items.flatMap((item) => (typeof item === 'string' ? item : (item?.ids ?? [])))])
      return claimed.has(id)
    },

    item: (key: string): Item | undefined => itemAt(rows.get(key), key),
  }
}

const none: readonly string[] = []

const placeOf = (source: string, part: number): string => (part === 1 ? source : `${source} ${part}`)

function standingOf(
  { key, ids, status, state, candidates, sentAt = '', refusal = 0 }: Item,
  by: 'key' | 'source',
): Standing {
  const id = ids.at(-1)
  if (id !== undefined) return { state: 'done', id, ...(status !== undefined && { status }), by }
  if (state === 'open' || state === 'unknown') return { state, key, at: sentAt, candidates: [...candidates] }
  return state === 'refused' ? { state, status: refusal } : { state: 'unsent' }
}

function openItem({ state, sentAt, since, candidates, ids }: Item, sent: Sent): OpenItem {
  const { event: _, n: __, run: ___, at, ...intent } = sent
  const isOpen = state === 'open'
  return { ...intent, state: isOpen ? state : 'unknown', at: sentAt ?? at, since: since ?? at, candidates, ids }
}

/** Of what is stored, its ids are enough. */
const lean = ({ key, ids, status, candidates }: Item): Item => ({
  key,
  state: 'done',
  at: '',
  run: '',
  ids,
  status,
  candidates,
})

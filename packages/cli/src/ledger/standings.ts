import type { Shard } from '../shard.js'
import type { OpenItem, Standing } from './contract.js'
import type { LedgerEvent } from './events.js'
import { fold, type Item, isInDoubt, type Sent } from './fold.js'
import { type Identity, keyOf, shardFor, type Target } from './identity.js'

/** What is known of all items of a target, by key and by the record that they were made of. */
export function createStandings(target: Target, shard: Shard | undefined) {
  const items = new Map<string, Item>()
  /** By record: the key of what was made of it, and behind a space its occurrence where that is not the first. */
  const bySource = new Map<string, string>()
  const claimed = new Set<string>()
  let last = 0

  const isOurs = (content: string): boolean => !shard || shardFor(content, shard.of) === shard.index

  /** The item that was made of the same record, when it was made into something else. */
  function sibling({ content, part, source }: Identity): Item | undefined {
    const found = source === undefined ? undefined : bySource.get(placeOf(source, part))
    if (found === undefined) return undefined
    const [key = '', occurrence = 1] = found.split(' ')
    return keyOf(target, content, Number(occurrence), part) === key ? undefined : items.get(key)
  }

  return {
    /** The number of the next event. */
    count: (): number => ++last,

    tell(event: LedgerEvent): void {
      last = Math.max(last, event.n)
      const before = items.get(event.key)
      const item = fold(before, event)
      if (event.event === 'intent' && event.source !== undefined) {
        const { key, occurrence } = event
        bySource.set(placeOf(event.source, event.part), occurrence === 1 ? key : `${key} ${occurrence}`)
      }
      if (event.event === 'done') claimed.add(event.id)
      if (item) items.set(event.key, item.state === 'done' ? lean(item, before?.key ?? event.key) : item)
      else items.delete(event.key)
    },

    of(identity: Identity): Standing | undefined {
      const own = items.get(identity.key)
      if (own) return standingOf(own, 'key')
      const other = sibling(identity)
      return other && (other.ids.length > 0 || isInDoubt(other)) ? standingOf(other, 'source') : undefined
    },

    open: (): OpenItem[] =>
      [...items.values()].flatMap((item) =>
        isInDoubt(item) && item.intent && isOurs(item.intent.content) ? [openItem(item, item.intent)] : [],
      ),

    claimed: (id: string): boolean => claimed.has(id),

    item: (key: string): Item | undefined => items.get(key),
  }
}

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

/** Of what is stored, its ids are enough: a ledger of many uploads is to stay small in memory, down to its strings. */
const lean = ({ ids, status, candidates }: Item, key: string): Item => ({
  key,
  state: 'done',
  at: '',
  run: '',
  ids,
  status,
  candidates,
})

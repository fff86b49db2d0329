import type { OpenItem, Standing } from './contract.js'
import type { LedgerEvent } from './events.js'
import type { Shard } from './files.js'
import { fold, type Item, isInDoubt } from './fold.js'
import { type Identity, keyOf, shardOf, type Target } from './identity.js'

/** What is known of all items of a target, by key and by the record that they were made of. */
export function createStandings(target: Target, shard: Shard | undefined) {
  const items = new Map<string, Item>()
  const bySource = new Map<string, { key: string; occurrence: number }>()
  const claimed = new Set<string>()
  let last = 0

  const isOurs = (content: string): boolean => !shard || shardOf(content, shard.of) === shard.index

  /** The item that was made of the same record, when it was made into something else. */
  function sibling({ content, part, source }: Identity): Item | undefined {
    const found = source === undefined ? undefined : bySource.get(placeOf(source, part))
    const isSame = found && keyOf(target, content, found.occurrence, part) === found.key
    return found && !isSame ? items.get(found.key) : undefined
  }

  return {
    /** The number of the next event. */
    count: (): number => ++last,

    tell(event: LedgerEvent): void {
      last = Math.max(last, event.n)
      const item = fold(items.get(event.key), event)
      if (event.event === 'intent' && event.source !== undefined) {
        bySource.set(placeOf(event.source, event.part), { key: event.key, occurrence: event.occurrence })
      }
      if (event.event === 'done') claimed.add(event.id)
      if (item) items.set(event.key, item.state === 'done' ? lean(item) : item)
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

function openItem(
  { state, at, sentAt = at, since = sentAt, candidates, ids }: Item,
  intent: Item['intent'] & object,
): OpenItem {
  return { ...intent, state: state === 'open' ? state : 'unknown', at: sentAt, since, candidates, ids }
}

/** Of what is stored, its ids are enough: a ledger of many uploads is to stay small in memory. */
const lean = ({ key, state, at, run, ids, status, candidates }: Item): Item => ({
  key,
  state,
  at,
  run,
  ids,
  status,
  candidates,
})

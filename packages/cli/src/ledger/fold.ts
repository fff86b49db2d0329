import type { LedgerEvent } from './events.js'
import type { Intent } from './intent.js'

/** All that is known of one item. */
export interface Item {
  key: string
  state: 'open' | 'done' | 'refused' | 'unsent' | 'unknown'
  /** When the last thing happened to it, and in which run. */
  at: string
  run: string
  /** Every id that it was stored under. More than one where it was sent again on purpose. */
  ids: readonly string[]
  /** Processing status of the last that was stored. */
  status?: string | undefined
  /** The status that it was last refused with. */
  refusal?: number | undefined
  /** When it was last sent. */
  sentAt?: string | undefined
  /** When it was first sent without its fate becoming known. */
  since?: string | undefined
  candidates: readonly string[]
  /** What was sent, where that is known. */
  intent?: Intent | undefined
  name?: string | undefined
  turns?: number | undefined
}

/**
 * What is known of an item after one more event. That it was stored is never lost again but by `forgotten`; that it may
 * have been sent is lost only where an event says what became of it.
 */
export function fold(item: Item | undefined, event: LedgerEvent): Item | undefined {
  const { key, at, run } = event
  const before: Pick<Item, 'key' | 'ids' | 'candidates' | 'since' | 'status'> = item ?? { key, ids: [], candidates: [] }
  switch (event.event) {
    case 'intent': {
      const { n: _, event: __, at: sentAt, run: ___, ...intent } = event
      const { name, turns } = intent
      const { status, since = at } = before
      return {
        key,
        state: 'open',
        at,
        run,
        ids: before.ids,
        status,
        sentAt,
        since,
        candidates: [],
        intent,
        name,
        turns,
      }
    }
    case 'done': {
      const ids = before.ids.includes(event.id) ? before.ids : [...before.ids, event.id]
      const { name, turns } = { ...before, ...shown(event) } as Item
      return {
        ...before,
        state: 'done',
        at,
        run,
        ids,
        status: event.status,
        since: undefined,
        candidates: [],
        name,
        turns,
      }
    }
    case 'refused':
      return { ...before, state: 'refused', at, run, refusal: event.status, since: undefined, candidates: [] }
    case 'unsent':
      return { ...before, state: 'unsent', at, run, since: undefined, candidates: [] }
    case 'unknown':
      return { ...before, state: 'unknown', at, run, since: before.since ?? at, candidates: event.candidates }
    case 'retry':
      // An earlier attempt may still turn up, so that `since` stays.
      return { ...before, state: 'unsent', at, run, candidates: [] }
    case 'forgotten':
      return undefined
  }
}

const shown = ({ name, turns }: { name?: string; turns?: number }) => ({
  ...(name !== undefined && { name }),
  ...(turns !== undefined && { turns }),
})

/** Whether something may have been sent of which nobody knows what became. */
export const isInDoubt = ({ state }: Pick<Item, 'state'>): boolean => state === 'open' || state === 'unknown'

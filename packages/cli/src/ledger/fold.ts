import type { LedgerEvent } from './events.js'

/** The event that something is about to be sent, which tells all of it. */
export type Sent = Extract<LedgerEvent, { event: 'intent' }>

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
  /** What was sent, where that is known: the event that says so. */
  intent?: Sent | undefined
  name?: string | undefined
  turns?: number | undefined
}

/**
 * What is known of an item after one more event. That it was stored is never lost again but by `forgotten`; that it may
 * have been sent is lost only where an event says what became of it.
 */
export function fold(item: Item | undefined, event: LedgerEvent): Item | undefined {
  const { key, at, run } = event
  const before = item ?? nothing
  const { ids, status, refusal, sentAt, since, intent, name, turns } = before
  // Each field is written out: this is done for every line of a ledger, and a spread takes four times as long.
  switch (event.event) {
    case 'intent': {
      const { name, turns } = event
      const first = since ?? at
      return {
        key,
        state: 'open',
        at,
        run,
        ids,
        status,
        refusal,
        sentAt: at,
        since: first,
        candidates: none,
        intent: event,
        name,
        turns,
      }
    }
    case 'done': {
      const all = ids.includes(event.id) ? ids : [...ids, event.id]
      const own = { name: event.name ?? name, turns: event.turns ?? turns }
      return {
        key,
        state: 'done',
        at,
        run,
        ids: all,
        status: event.status,
        refusal,
        sentAt,
        since: undefined,
        candidates: none,
        intent,
        name: own.name,
        turns: own.turns,
      }
    }
    case 'refused':
      return { ...before, key, state: 'refused', at, run, refusal: event.status, since: undefined, candidates: none }
    case 'unsent':
      return { ...before, key, state: 'unsent', at, run, since: undefined, candidates: none }
    case 'unknown':
      return { ...before, key, state: 'unknown', at, run, since: since ?? at, candidates: event.candidates }
    case 'sent':
      return item && { ...before, key, state: item.state, at, run, sentAt: at }
    case 'retry':
      // An earlier attempt may still turn up, so that `since` stays.
      return { ...before, key, state: 'unsent', at, run, candidates: none }
    case 'forgotten':
      return undefined
  }
}

const none: readonly string[] = []

type Blank = Pick<Item, 'ids' | 'status' | 'refusal' | 'sentAt' | 'since' | 'candidates' | 'intent' | 'name' | 'turns'>
const nothing: Blank = { ids: none, candidates: none }

/** Whether something may have been sent of which nobody knows what became. */
export const isInDoubt = ({ state }: Pick<Item, 'state'>): boolean => state === 'open' || state === 'unknown'

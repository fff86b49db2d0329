import type { Identity } from './identity.js'

/** An item that is about to be sent. */
export interface Intent extends Identity {
  name: string
  /** How many turns are sent. */
  turns: number
  /** Where it comes from: path and record, as a person is told. */
  path: string
  record: number
  externalId?: string | undefined
  /** Whether it bears a stamp of its key. Default true. */
  stamped?: boolean | undefined
  /** What its stamp bears to tell it from every other upload, also from those of equal content in other programs. */
  write?: string | undefined
  /** `wordsHash` of its turns: what it is known by where it bears no stamp. */
  words?: string | undefined
  /** How long its attempt may take, in milliseconds, where that is not what is usual. */
  timeoutMs?: number | undefined
}

/** What became of an intent. */
export type ClosingEvent =
  | { event: 'done'; id: string; status?: string | undefined }
  | { event: 'refused'; status: number }
  | { event: 'unsent' }
  | { event: 'unknown'; candidates: readonly string[] }

/** The first line of a file. */
export interface Header {
  schema: string
  baseUrl: string
  project: string
  shard?: { index: number; of: number }
}

export const schema = 'svc/ledger@1'

/** What every event holds. `n` grows with each one that a writer adds to what it has read, so that files can be merged. */
interface Stamped {
  n: number
  /** ISO 8601, by the clock of the machine that wrote it. */
  at: string
  /** The opening of a ledger that it was written in. */
  run: string
}

/** A line after the first: something that happened to one item. */
export type LedgerEvent = Stamped &
  (
    | ({ event: 'intent' } & Intent)
    /** `name` and `turns` where it was found at the service by its stamp alone. */
    | (Extract<ClosingEvent, { event: 'done' }> & { key: string; name?: string; turns?: number })
    | (Exclude<ClosingEvent, { event: 'done' }> & { key: string })
    /** Sent later than its intent says: it had to wait its turn, or is sent once more. */
    | { event: 'sent'; key: string }
    /** Taken out: as if it had never been heard of. */
    | { event: 'forgotten'; key: string }
    /** To be sent again by the next upload, whatever became of it. */
    | { event: 'retry'; key: string }
  )

type Unstamped<E> = E extends unknown ? Omit<E, keyof Stamped> : never
/** An event before it is written. */
export type NewEvent = Unstamped<LedgerEvent>

const names: ReadonlySet<unknown> = new Set<LedgerEvent['event']>([
  'intent',
  'done',
  'refused',
  'unsent',
  'unknown',
  'sent',
  'forgotten',
  'retry',
])

/** The event on a line; undefined where the line holds none. */
export function parseEvent(line: string): LedgerEvent | undefined {
  const value = parseObject(line)
  if (!value || !names.has(value.event) || typeof value.key !== 'string') return undefined
  if (!Number.isSafeInteger(value.n) || typeof value.at !== 'string' || typeof value.run !== 'string') return undefined
  return isWhole[value.event as LedgerEvent['event']](value) ? (value as unknown as LedgerEvent) : undefined
}

/** What must be there for an event to mean what it says. */
const isWhole: Record<LedgerEvent['event'], (value: Record<string, unknown>) => boolean> = {
  intent: ({ content, part, occurrence }) =>
    typeof content === 'string' && Number.isSafeInteger(part) && Number.isSafeInteger(occurrence),
  done: ({ id }) => typeof id === 'string',
  refused: ({ status }) => typeof status === 'number',
  unknown: ({ candidates }) => Array.isArray(candidates) && candidates.every((each) => typeof each === 'string'),
  unsent: () => true,
  sent: () => true,
  forgotten: () => true,
  retry: () => true,
}

export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The event that something is about to be sent, which tells all of it. */
export type IntentEvent = Extract<LedgerEvent, { event: 'intent' }>

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
  intent?: IntentEvent | undefined
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
  const { ids, since } = before
  switch (event.event) {
    case 'intent': {
      const { name, turns } = event
      const sent = { sentAt: at, since: since ?? at, candidates: none, intent: event, name, turns }
      return { ...before, key, state: 'open', at, run, ...sent }
    }
    case 'done': {
      const { id, status, name = before.name, turns = before.turns } = event
      const all = ids.includes(id) ? ids : [...ids, id]
      return {
        ...before,
        key,
        state: 'done',
        at,
        run,
        ids: all,
        status,
        since: undefined,
        candidates: none,
        name,
        turns,
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
export const hasUnknownOutcome = ({ state }: Pick<Item, 'state'>): boolean => state === 'open' || state === 'unknown'

/** The processing status of a record; undefined where it shows none, or another kind of value. */
export const statusOf = (record: object): string | undefined => {
  const { processing_status: status } = record as { processing_status?: unknown }
  return typeof status === 'string' ? status : undefined
}

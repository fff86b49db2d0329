import type { Closing, Intent } from './intent.js'

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
    | (Extract<Closing, { event: 'done' }> & { key: string; name?: string; turns?: number })
    | (Exclude<Closing, { event: 'done' }> & { key: string })
    /** Sent later than its intent says: it had to wait its turn, or is sent once more. */
    | { event: 'sent'; key: string }
    /** Taken out: as if it had never been heard of. */
    | { event: 'forgotten'; key: string }
    /** To be sent again by the next upload, whatever became of it. */
    | { event: 'retry'; key: string }
  )

type Unstamped<E> = E extends unknown ? Omit<E, keyof Stamped> : never
/** An event before it is written. */
export type Happening = Unstamped<LedgerEvent>

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

import type { MachineTime } from '../environment/index.js'
import type { Shard } from '../shard.js'
import type { Identity } from './identity.js'

/** The client's default attempt time-out, in milliseconds. */
export const defaultTimeoutMs = 60_000

/** An upload that is about to be sent. */
export interface Intent extends Identity {
  name: string
  /** Number of turns. */
  turns: number
  /** The path and the record that it was read from, as shown to users. */
  path: string
  record: number
  externalId?: string | undefined
  /** Default: true. */
  stamped?: boolean | undefined
  /** The random id in its stamp. */
  write?: string | undefined
  /** `turnsHash`: identifies an upload that has no stamp. */
  turnsHash?: string | undefined
  /** Attempt time-out, in milliseconds. Default: `defaultTimeoutMs`. */
  timeoutMs?: number | undefined
}

/** The event that closes an intent. */
export type ClosingEvent =
  | { event: 'done'; id: string; status?: string | undefined }
  /** The service has refused it, or it was not sent: this time. What other runs have sent stays as it is. */
  | { event: 'refused'; status: number }
  | { event: 'unsent' }
  /** A search has proven that the service does not have it, whoever has sent it. */
  | { event: 'absent' }
  /**
   * `conflict`: the service answered that it has the upload (409). `late`: an owner that was replaced may have sent it, and the
   * next one, too.
   */
  | { event: 'unknown'; candidates: readonly string[]; conflict?: boolean; late?: boolean }

/** The first line of a ledger file. */
export interface Header {
  schema: string
  baseUrl: string
  project: string
  shard?: Shard
}

export const schema = 'svc/ledger@2'

/** A transcript of the project that shows no stamp, as `svc uploads rebuild` found it. A field that it does not show is missing. */
export interface Unidentified {
  /** The id of the transcript. */
  key: string
  name?: string | undefined
  turns?: number | undefined
  externalId?: string | null | undefined
  /** `turnsHash`. */
  turnsHash?: string | undefined
  /** True if it cannot be compared with uploads: its content is not shown, or its stamp is masked, as its content may be. */
  ambiguous?: boolean | undefined
}

/** The fields of an upload that `svc uploads rebuild` found by its stamp. */
export interface FoundByStamp {
  name?: string
  turns?: number
  externalId?: string
  /** Of its stamp. Default: 1. */
  occurrence?: number
  /** Of its metadata. Default: 1. */
  part?: number
}

/** The fields of every event. */
interface EventBase {
  /** Greater than that of every event which the writer had read before, so that files can be merged. */
  n: number
  /** ISO 8601, by the clock of the machine that wrote it. */
  at: string
  /** The id of the run that wrote it. */
  run: string
}

/** A line after the header. */
export type LedgerEvent = EventBase &
  (
    | ({ event: 'intent' } & Intent)
    | (Extract<ClosingEvent, { event: 'done' }> & { key: string } & FoundByStamp)
    | (Exclude<ClosingEvent, { event: 'done' }> & { key: string })
    /** Sent later than its intent was written: it waited for its turn, or is sent again. */
    | { event: 'sent'; key: string }
    | ({ event: 'unidentified' } & Unidentified)
    | { event: 'forgotten'; key: string }
    /** To be sent again by the next upload, whatever its state. */
    | { event: 'retry'; key: string }
    /** The owner of the ledger was replaced, because its lease had expired. `key`: the id of its claim. */
    | { event: 'replaced'; key: string; pid: number; host: string; since: string }
    /** A run has the ledger: nobody else sends from then on. `key`: the shard of its lock, such as `2/4`; empty without one. */
    | ({ event: 'opened'; key: string } & MachineTime)
    /** A rebuild began to read the project: what was sent shortly before is perhaps not listed yet. `key`: empty. */
    | { event: 'rebuilt'; key: string }
  )

type Unstamped<E> = E extends unknown ? Omit<E, keyof EventBase> : never
export type NewEvent = Unstamped<LedgerEvent>

/** The event on a line; undefined where the line holds none. */
export function parseEvent(line: string): LedgerEvent | undefined {
  const value = parseObject(line)
  const { event } = value ?? {}
  if (!value || typeof event !== 'string' || !Object.hasOwn(hasFields, event)) return undefined
  if (typeof value.key !== 'string') return undefined
  if (!Number.isSafeInteger(value.n) || typeof value.at !== 'string' || typeof value.run !== 'string') return undefined
  return hasFields[event as LedgerEvent['event']](value) ? (value as unknown as LedgerEvent) : undefined
}

/** Checks the fields that an event needs. */
const hasFields: Record<LedgerEvent['event'], (value: Record<string, unknown>) => boolean> = {
  intent: ({ content, part, occurrence }) =>
    typeof content === 'string' && Number.isSafeInteger(part) && Number.isSafeInteger(occurrence),
  done: ({ id }) => typeof id === 'string',
  refused: ({ status }) => typeof status === 'number',
  unknown: ({ candidates }) => Array.isArray(candidates) && candidates.every((each) => typeof each === 'string'),
  unsent: () => true,
  absent: () => true,
  sent: () => true,
  unidentified: () => true,
  forgotten: () => true,
  retry: () => true,
  replaced: () => true,
  rebuilt: () => true,
  opened: ({ since, ms }) => typeof since === 'string' && typeof ms === 'number',
}

export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The state of one upload, after all of its events. */
export interface Item {
  /** Identifies it in the ledger. */
  key: string
  /** `open`: sent, and its result is not known yet. `unidentified`: a transcript of the project without a stamp. */
  state: 'open' | 'done' | 'refused' | 'unsent' | 'unknown' | 'unidentified'
  /** The time of its last event, in ISO 8601. */
  at: string
  /** The id of the run that wrote its last event. */
  run: string
  /** Every id that it was stored under: several if it was sent again with `again`. */
  ids: readonly string[]
  /** The processing status of the last one. */
  status?: string | undefined
  /** HTTP status of the last refusal. */
  refusal?: number | undefined
  /** When it was last sent, in ISO 8601. */
  sentAt?: string | undefined
  /** When it was first sent with a result that is still unknown. */
  since?: string | undefined
  /** Ids of records that may be this upload, if its result is unknown. */
  candidates: readonly string[]
  /** True if the service answered that it has it. */
  conflict?: boolean | undefined
  /** True if an owner that was replaced may have sent it after the next one: it may be stored twice. */
  late?: boolean | undefined
  /** True for an unidentified transcript that may be any upload of this ledger. */
  ambiguous?: boolean | undefined
  /** Its last intent; undefined if it was found by a rebuild. */
  intent?: Extract<LedgerEvent, { event: 'intent' }> | undefined
  /** The ids of the runs that have an open intent, and `unknown` once a result is unknown: a run may intend what another has sent. */
  attempts: readonly string[]
  /** How many `opened` events there were when it was last sent, or its result unknown. */
  openings?: number | undefined
  /** The name of the transcript. */
  name?: string | undefined
  /** The number of its turns. */
  turns?: number | undefined
  /** Its external id. */
  externalId?: string | undefined
}

/**
 * The state of an item after one more event. Only `forgotten` removes its ids; only an event that closes it ends an unknown
 * outcome.
 */
export function fold(item: Item | undefined, event: LedgerEvent): Item | undefined {
  const { key, at, run } = event
  const { ids = [], since, attempts = [] } = item ?? {}
  const next = { ...item, key, at, run, ids, candidates: [], conflict: undefined, late: undefined, attempts: [] }
  const others = attempts.filter((each) => each !== run)
  // What is stored stays so if a further copy was not sent.
  const unsent = { ...next, state: ids.length > 0 ? ('done' as const) : ('unsent' as const), since: undefined }
  switch (event.event) {
    case 'intent': {
      const { name, turns, externalId } = event
      const { candidates = [], conflict, late } = item ?? {}
      const sent = { sentAt: at, since: since ?? at, intent: event, name, turns, externalId }
      const open = { ...next, state: 'open' as const, ...sent }
      return { ...open, candidates, conflict, late, attempts: [...others, run] }
    }
    case 'done': {
      const { id, status, name = item?.name, turns = item?.turns, externalId = item?.externalId } = event
      const all = ids.includes(id) ? ids : [...ids, id]
      return { ...next, state: 'done', ids: all, status, since: undefined, name, turns, externalId }
    }
    case 'refused':
    case 'unsent':
      if (item && others.length > 0)
        return { ...item, attempts: others, state: others.includes('unknown') ? 'unknown' : 'open' }
      if (event.event === 'refused') return { ...next, state: 'refused', refusal: event.status, since: undefined }
      return unsent
    case 'absent':
      return unsent
    case 'unknown':
      return {
        ...{ ...next, state: 'unknown', since: since ?? at, candidates: event.candidates, conflict: event.conflict },
        late: event.late ?? item?.late,
        attempts: [...others.filter((each) => each !== 'unknown'), 'unknown'],
      }
    case 'unidentified': {
      const { name, turns, ambiguous } = event
      return { ...next, state: 'unidentified', candidates: [key], name, turns, ambiguous }
    }
    case 'sent':
      return item && { ...item, at, run, sentAt: at }
    case 'retry':
      // An earlier attempt may still turn up, so `since` stays.
      return { ...next, state: 'unsent' }
    case 'forgotten':
      return undefined
    case 'replaced':
    case 'rebuilt':
    case 'opened':
      return item
  }
}

/** True for an item whose result is unknown. */
export const hasUnknownOutcome = ({ state }: Pick<Item, 'state'>): boolean => state === 'open' || state === 'unknown'

/** The processing status of a record; undefined if it is missing or no text. */
export const statusOf = (record: object): string | undefined => {
  const { processing_status: status } = record as { processing_status?: unknown }
  return typeof status === 'string' ? status : undefined
}

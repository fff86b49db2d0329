import type { Fingerprint } from '../errors/index.js'
import { type ShownStamp, stampOf } from './stamp.js'

/** A stored record, as far as a list or a single read shows it. */
export type Stored = {
  /** The id that the service gave it. */
  id: string
  /** What was stored with it, such as the stamp of an upload. */
  metadata?: unknown
} & Record<string, unknown>

/** A write whose outcome is unknown, and what a record must be to be its work. */
export interface WriteQuery {
  /** Fields of the record that the write stored. */
  fingerprint: Fingerprint
  /** Compares the content of a record that fits, where nothing else tells uploads apart. */
  matchContent?: ((record: Stored) => Match) | undefined
  /** The stamp that the write carried; null where that is not known, and stamps are left to `matchContent`. */
  stamp?: ShownStamp | null | undefined
  /** The earliest instant, by the service's clock, at which the write can have been stored; NaN when not known. */
  notBefore: number
  /** Records that are known to be the work of other calls. */
  ownRecordIds: Pick<ReadonlySet<string>, 'has'>
}

/** Fields and turns of a record; null where nothing was sent. */
export type Content = { turns: readonly unknown[] } & Record<string, unknown>

/**
 * Whether a record is the work of a write: `altered` when it fits and holds other content, because the service may have
 * changed that; `not shown` when the record lacks what would tell.
 */
export type Match = 'yes' | 'no' | 'altered' | 'not shown'

/**
 * Compares a record with a write. A stamp decides alone, as it is equal in no two writes; without one, the time, the
 * fingerprint and the content must fit, and what a record does not show is never taken as equal.
 */
export function matchOf(record: Stored, wanted: WriteQuery): Match {
  if (wanted.ownRecordIds.has(record.id)) return 'no'
  const stored = wanted.stamp === null ? undefined : stampOf(record)
  const { write, key } = wanted.stamp ?? {}
  if (stored && (stored.write !== write || stored.key !== key)) return 'no'
  // An older record bears the stamp where a caller uploads once more what was read from the service.
  if (stored && write !== undefined) return isOlder(record, wanted) ? 'not shown' : 'yes'
  const match = fingerprintMatch(record, wanted)
  if (match !== 'yes') return match
  if (write !== undefined) return 'not shown'
  return wanted.matchContent?.(record) ?? 'yes'
}

/** False, as `isSince` below, where either time is not shown: nothing is less or more than what is no number. */
const isOlder = ({ created_at }: Stored, { notBefore }: WriteQuery): boolean =>
  (instantOf(created_at) as number) < notBefore

function fingerprintMatch(record: Stored, wanted: WriteQuery): Match {
  if (isOlder(record, wanted)) return 'no'
  const isSince = (instantOf(record.created_at) as number) >= wanted.notBefore
  const fields = Object.entries(wanted.fingerprint)
  const shown = fields.filter(([name, value]) => name in record && isOfKind(record[name], value))
  const other = shown.filter(([name, value]) => !fieldEquals(name, record[name], value))
  if (other.length === 0) return isSince && shown.length === fields.length ? 'yes' : 'not shown'
  // Made since then and the same but for what a service may have written in another way: it may be this one.
  return isSince && other.every(([name, value]) => isSimilar(record[name], value)) ? 'not shown' : 'no'
}

/** A value of another kind than what was sent, such as a number for a name, speaks neither for a record nor against it. */
const isOfKind = (found: unknown, wanted: unknown): boolean =>
  isEmpty(found) || (isEmpty(wanted) ? ['string', 'object'].includes(typeof found) : typeof found === typeof wanted)

/** Compares what was sent with a record. */
export function contentMatch(record: Stored, { turns, ...fields }: Content): Match {
  const stored: unknown = record.turns
  if (!Array.isArray(stored)) return 'not shown'
  if (stored.length !== turns.length) return 'altered'
  const each = [fieldsMatch(record, fields), ...turns.map((turn, i) => fieldsMatch(stored[i], turn))]
  return (['altered', 'not shown'] as const).find((match) => each.includes(match)) ?? 'yes'
}

/** Compares the fields that were sent; a record may hold others. */
function fieldsMatch(record: unknown, sent: unknown): Match {
  const shown = Object(record) as Record<string, unknown>
  const names = Object.entries(Object(sent) as object)
  if (names.some(([name, value]) => name in shown && !fieldEquals(name, shown[name], value))) return 'altered'
  return names.some(([name, value]) => !(name in shown) && !isEmpty(value)) ? 'not shown' : 'yes'
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** A time may have lost its fraction of the second. */
const fieldEquals = (name: string, found: unknown, wanted: unknown): boolean =>
  isEqual(found, wanted) || (times.has(name) && sameTime(found, wanted, 999))

const times = new Set(['source_timestamp', 'createdAt'])

/** An empty value is one that was not given; the keys of an object have no order. */
function isEqual(found: unknown, wanted: unknown): boolean {
  if (found === wanted) return true
  if (isEmpty(wanted) || isEmpty(found)) return isEmpty(wanted) && isEmpty(found)
  if (typeof found !== 'object' || typeof wanted !== 'object') return false
  const names = Object.keys(found as object)
  const [one, other] = [found, wanted] as Record<string, unknown>[]
  return (
    names.length === Object.keys(wanted as object).length && names.every((name) => isEqual(one?.[name], other?.[name]))
  )
}

/** Trimmed, cut off, in other letters, or a time in other precision or zone. */
function isSimilar(found: unknown, wanted: unknown): boolean {
  if (typeof found !== 'string' || typeof wanted !== 'string') return false
  const [short, long] = [normalized(found), normalized(wanted)].sort((a, b) => a.length - b.length)
  return (short !== '' && long?.startsWith(short ?? '')) || sameTime(found, wanted, 14 * 3_600_000)
}

const normalized = (text: string): string => text.normalize().trim().toLowerCase()

function sameTime(found: unknown, wanted: unknown, withinMs: number): boolean {
  const [one, other] = [instantOf(found), instantOf(wanted)]
  return one !== undefined && other !== undefined && Math.abs(one - other) <= withinMs
}

const timeWithoutZone = /^\d{4}-\d\d-\d\dT[\d:.]+$/

/** An ISO 8601 time as an instant, in UTC where it names no zone; undefined for whatever is none. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d/.test(value)) return undefined
  const instant = Date.parse(timeWithoutZone.test(value) ? `${value}Z` : value)
  return Number.isNaN(instant) ? undefined : instant
}

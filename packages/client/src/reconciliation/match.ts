import type { Fingerprint } from '../errors/index.js'
import { type ShownStamp, stampOf } from './stamp.js'

/** A stored record, as a list or a single read shows it. */
export type Stored = {
  /** Id of the record. */
  id: string
  /** Metadata, with the stamp of an upload. */
  metadata?: unknown
} & Record<string, unknown>

/** A write whose outcome is unknown. */
export interface WriteQuery {
  /** Fields of the record that the write creates. */
  fingerprint: Fingerprint
  /** Compares the content of a record whose fingerprint matches, for a write without a stamp. */
  matchContent?: ((record: Stored) => Match) | undefined
  /** The stamp of the write; null if unknown, then `matchContent` compares stamps. */
  stamp?: ShownStamp | null | undefined
  /**
   * True if the stamp was made for this write alone: then it identifies the record whatever its age. `twice`: the write may
   * have been sent twice, so that a search does not end at its first record. Default false.
   */
  isOwnStamp?: boolean | 'twice' | undefined
  /** The earliest time, by the service's clock, at which the write can have been stored; NaN if unknown. */
  notBefore: number
  /** Ids of records that other calls created. */
  ownRecordIds: Pick<ReadonlySet<string>, 'has'>
}

export type Content = { turns: readonly unknown[] } & Record<string, unknown>

/**
 * The result of comparing a record with a write. `altered`: the content differs, possibly because the service changed it,
 * or the record looks a little older, possibly because clocks differ. `not shown`: the record lacks a field that would
 * decide. `older`, `unlikely`: the record looks older, or other fields differ, but the stamp, which alone decides, is not
 * shown.
 */
export type Match = 'yes' | 'no' | 'altered' | 'not shown' | 'older' | 'unlikely'

/** The largest assumed difference between the clock of the `Date` header and that of `created_at`, in milliseconds. */
const clockToleranceMs = 10 * 60_000

/**
 * Compares a record with a write. A stamp decides alone, because it is unique; without one, time, fingerprint and content
 * must match. A field that is not shown never counts as equal, and a stamp that is not shown never as another one.
 */
export function matchOf(record: Stored, wanted: WriteQuery): Match {
  if (wanted.ownRecordIds.has(record.id)) return 'no'
  const { write, key } = wanted.stamp ?? {}
  const stored = (wanted.stamp !== null && stampOf(record)) || {}
  // A write that is shown decides, else a key: equal content of another upload has another key or occurrence.
  const isOther = stored.write === undefined ? stored.key !== undefined && stored.key !== key : stored.write !== write
  if (isOther) return 'no'
  const isSame = stored.write !== undefined
  if (isSame && wanted.isOwnStamp) return 'yes'
  const match = fingerprintMatch(record, wanted)
  if (write !== undefined && !isSame) {
    if (match !== 'no') return 'not shown'
    // The clock of the service may have jumped since the write.
    return fingerprintMatch(record, { ...wanted, notBefore: Number.NaN }) === 'no' ? 'unlikely' : 'older'
  }
  const whole = match === 'yes' ? (wanted.matchContent?.(record) ?? 'yes') : match
  // The caller may upload a changed copy of a record that it read, with the stamp of that record.
  return write === undefined || whole === 'yes' ? whole : 'not shown'
}

function fingerprintMatch(record: Stored, { notBefore, fingerprint }: WriteQuery): Match {
  // NaN if either time is unknown: comparisons with it are false.
  const laterMs = (instantOf(record.created_at) as number) - notBefore
  if (laterMs < -clockToleranceMs) return 'no'
  const mayBeSince = !(laterMs < 0)
  const fields = Object.entries(fingerprint)
  const shown = fields.filter(([name, value]) => name in record && hasSameType(record[name], value))
  const other = shown.filter(([name, value]) => !fieldEquals(name, record[name], value))
  if (other.length > 0) {
    return mayBeSince && other.every(([name, value]) => mayBeShownAs(value, record[name])) ? 'not shown' : 'no'
  }
  if (shown.length < fields.length) return 'not shown'
  return laterMs >= 0 ? 'yes' : mayBeSince ? 'not shown' : 'altered'
}

/** A value of another type, such as a number as a name, proves nothing. */
const hasSameType = (found: unknown, wanted: unknown): boolean =>
  isEmpty(found) || (isEmpty(wanted) ? ['string', 'object'].includes(typeof found) : typeof found === typeof wanted)

export function contentMatch(record: Stored, { turns, ...fields }: Content): Match {
  const stored: unknown = record.turns
  if (!Array.isArray(stored)) return 'not shown'
  if (stored.length !== turns.length) return 'altered'
  const each = [fieldsMatch(record, fields), ...turns.map((turn, i) => fieldsMatch(stored[i], turn))]
  return (['altered', 'not shown'] as const).find((match) => each.includes(match)) ?? 'yes'
}

function fieldsMatch(record: unknown, sent: unknown): Match {
  const shown = Object(record) as Record<string, unknown>
  const names = Object.entries(Object(sent) as object)
  if (names.some(([name, value]) => name in shown && !fieldEquals(name, shown[name], value))) return 'altered'
  return names.some(([name, value]) => !(name in shown) && !isEmpty(value)) ? 'not shown' : 'yes'
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Times may differ by a fraction of a second, which a service may drop. */
const fieldEquals = (name: string, found: unknown, wanted: unknown): boolean =>
  isEqual(found, wanted) || (times.has(name) && sameTime(found, wanted, 999))

const times = new Set(['source_timestamp', 'createdAt'])

/** Deep equality; empty values are equal to each other. */
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

/** The marks that a service puts in place of a text, or of a part of it. */
const mask = /[*•█#]{2}|^[^\p{L}\p{N}]*$|^x+$|redact|masked|hidden|removed/iu

/**
 * True if a service may show a sent text as this value: the same, hidden, masked, in another case, with other white space, cut,
 * or as a time in another precision or zone.
 */
export function mayBeShownAs(sent: unknown, shown: unknown): boolean {
  if (typeof sent !== 'string' || isEmpty(sent)) return isEqual(shown, sent)
  if (isEmpty(shown)) return true
  if (typeof shown !== 'string') return false
  if (mask.test(shown)) return true
  const [short, long] = [normalized(shown), normalized(sent)].sort((a, b) => a.length - b.length)
  return (short !== '' && long?.startsWith(short ?? '')) || sameTime(shown, sent, 14 * 3_600_000)
}

const normalized = (text: string): string => text.normalize().trim().toLowerCase()

function sameTime(found: unknown, wanted: unknown, withinMs: number): boolean {
  const [one, other] = [instantOf(found), instantOf(wanted)]
  return one !== undefined && other !== undefined && Math.abs(one - other) <= withinMs
}

const timeWithoutZone = /^\d{4}-\d\d-\d\dT[\d:.]+$/

/** Parses an ISO 8601 time, in UTC if it has no zone; undefined if it is none. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d/.test(value)) return undefined
  const instant = Date.parse(timeWithoutZone.test(value) ? `${value}Z` : value)
  return Number.isNaN(instant) ? undefined : instant
}

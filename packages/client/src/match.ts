import type { Fingerprint } from './errors.js'

/** A stored record, as far as a list or a single read shows it. */
export type Stored = { id: string } & Record<string, unknown>

/** A write whose fate is unknown, and what a record must be to be its work. */
export interface Wanted {
  /** What the record must hold; a field that a record does not show speaks neither for nor against it. */
  fingerprint: Fingerprint
  /** The stamp that the write carried; then nothing else counts. */
  stamp: string | undefined
  /** The earliest instant, by the service's clock, at which the write can have been stored; undefined when not known. */
  notBefore: number | undefined
  /** Records that are known to be the work of other calls. */
  claimed: ReadonlySet<string>
}

export type Match = 'yes' | 'no' | 'not shown'

/** Whether a record is the work of this very write; `not shown` when the record lacks what would tell. */
export function matchOf(record: Stored, { fingerprint, stamp, notBefore, claimed }: Wanted): Match {
  if (claimed.has(record.id)) return 'no'
  if (stamp !== undefined) {
    if (record.metadata === undefined) return 'not shown'
    return stampOf(record.metadata) === stamp ? 'yes' : 'no'
  }
  const created = instantOf(record.created_at)
  if (created !== undefined && notBefore !== undefined && created < notBefore) return 'no'
  const since = created !== undefined && notBefore !== undefined
  const fields = Object.entries(fingerprint)
  const shown = fields.filter(([name]) => name in record)
  const other = shown.filter(([name, value]) => !equal(record[name], value))
  if (other.length === 0) return since && shown.length === fields.length ? 'yes' : 'not shown'
  // Made since then and the same but for what a service may have written in another way: it may be this one.
  return since && other.every(([name, value]) => akin(record[name], value)) ? 'not shown' : 'no'
}

/** The stamp in a record's metadata. */
export function stampOf(metadata: unknown): string | undefined {
  const svc = (metadata as { svc?: { key?: unknown } } | null)?.svc
  return typeof svc?.key === 'string' ? svc.key : undefined
}

/** A text that is empty is one that was not given; a time may have lost its fraction of the second. */
const equal = (found: unknown, wanted: unknown): boolean =>
  (found || null) === (wanted || null) || sameTime(found, wanted, 999)

/** Trimmed, cut off, in other letters, or a time in other precision or zone. */
function akin(found: unknown, wanted: unknown): boolean {
  if (typeof found !== 'string' || typeof wanted !== 'string') return false
  const [short, long] = [plain(found), plain(wanted)].sort((a, b) => a.length - b.length)
  return (short !== '' && long?.startsWith(short ?? '')) || sameTime(found, wanted, 14 * 3_600_000)
}

const plain = (text: string): string => text.normalize().trim().toLowerCase()

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

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
  const fields = Object.entries(fingerprint)
  if (fields.some(([name, value]) => name in record && !equal(name, record[name], value))) return 'no'
  return created !== undefined && notBefore !== undefined && fields.every(([name]) => name in record)
    ? 'yes'
    : 'not shown'
}

/** The stamp in a record's metadata. */
export function stampOf(metadata: unknown): string | undefined {
  const svc = (metadata as { svc?: { key?: unknown } } | null)?.svc
  return typeof svc?.key === 'string' ? svc.key : undefined
}

/** Times are compared as instants: the service may write them in another way. */
function equal(name: string, found: unknown, wanted: unknown): boolean {
  if (name !== 'source_timestamp') return found === wanted
  return found === wanted || (instantOf(found) !== undefined && instantOf(found) === instantOf(wanted))
}

/** An ISO 8601 time as an instant; undefined for whatever is none. */
export function instantOf(value: unknown): number | undefined {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}

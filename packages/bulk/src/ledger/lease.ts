/** The default of `leaseMs`: the owner of a ledger that does not renew its lease for so long may be replaced, in milliseconds. */
export const defaultLeaseMs = 60_000

/** How often an owner renews its lease, in milliseconds: several renewals may fail or come late. */
export const renewEveryMs = (leaseMs: number): number => leaseMs / 6

/** A lease as a reader sees it: its content, and since when. */
export interface Sighting {
  /** Compared, and not understood. */
  content: string
  /** When this content was first seen, in milliseconds of the reader's monotonic clock. */
  since: number
  /**
   * `renewed`: its owner lives. `expired`: it may be replaced. The clock and the times of files of other machines count for
   * nothing, because they may be wrong.
   */
  state: 'watched' | 'renewed' | 'expired'
}

/** The lease after one more look at its content. */
export function watchLease(before: Sighting | undefined, content: string, now: number, leaseMs: number): Sighting {
  if (!before) return { content, since: now, state: 'watched' }
  if (before.content !== content) return { content, since: now, state: 'renewed' }
  return { content, since: before.since, state: now - before.since >= leaseMs ? 'expired' : 'watched' }
}

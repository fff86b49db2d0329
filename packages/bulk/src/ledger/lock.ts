import { join } from 'node:path'
import { type Clock, sleep } from '@svc/client'
import { BulkError } from '../bulk-error.js'
import { type Claim, claim, type HeldClaim, isSelf, renewalOf, rivalClaims, type WantedClaim } from '../claims.js'
import type { BulkEnvironment } from '../environment/index.js'
import type { Shard } from '../shard.js'
import { cannotOpen, cannotWrite } from './failure.js'
import { nameOf } from './files.js'
import { defaultLeaseMs, renewEveryMs, type Sighting, watchLease } from './lease.js'

/** The process that has a ledger. */
export interface LedgerOwner {
  /** The number of the process. */
  pid: number
  /** The name of its machine. */
  host: string
  /** When it opened the ledger, in ISO 8601. */
  at: string
}

/** Options of the lock of a ledger. */
export interface LeaseOptions {
  /**
   * Another process may replace this one if it does not renew its lease for so long, as after a loss of its machine, in
   * milliseconds. Default 60 000.
   */
  leaseMs?: number | undefined
  /** Called before a wait that shows if the owner of the ledger lives, with the longest time that it takes. */
  onLease?: ((owner: LedgerOwner, ms: number) => void) | undefined
  /** Ends the wait, with its reason. */
  stop?: AbortSignal | undefined
}

/** The lock of a ledger, held by this process. */
export interface Lock extends Pick<HeldClaim, 'isOwner'> {
  /** The claims of owners whose leases have expired. They are still there. */
  expired: readonly Claim[]
  /** Throws a BulkError if its files cannot be removed. */
  release(): void
}

type LockEnvironment = BulkEnvironment & { clock: Required<Clock> }

/**
 * Lock the ledger of a target (by `stemOf`) and shard for this process, and renew the lease until it is released. An owner
 * that has certainly ended is replaced at once, any other one if it does not renew its lease while this process watches.
 *
 * @throws {BulkError} if another process holds the ledger, or splits the same target into another number of shards
 */
export async function lock(
  folder: string,
  stem: string,
  shard: Shard | undefined,
  environment: LockEnvironment,
  options: LeaseOptions = {},
): Promise<Lock> {
  const { clock } = environment
  const { leaseMs = defaultLeaseMs } = options
  const at = new Date(clock.now()).toISOString()
  const wanted = { ledger: nameOf(stem, shard), of: shard?.of, at, leaseMs }
  let expired: readonly ExpiredClaim[] = []
  const isExpired = ({ id }: Claim) => expired.some((each) => each.id === id)
  for (;;) {
    const claimed = await claim(folder, stem, wanted, environment, isExpired).catch((error: NodeJS.ErrnoException) => {
      throw cannotOpen(error.path ?? folder, error)
    })
    if ('release' in claimed) {
      const left = rivalClaims(folder, stem, wanted, environment).filter(isExpired)
      const awake = left.find(
        (each) => expired.find(({ id }) => id === each.id)?.renewal !== renewalOf(environment.disk, each),
      )
      if (!awake)
        return renewed(claimed, clock, { expired: left, leaseMs, file: join(folder, `${wanted.ledger}.jsonl`) })
      claimed.release()
      throw lockedBy(awake, folder, environment)
    }
    expired = await expiredClaims(folder, stem, wanted, environment, options)
  }
}

function renewed(
  { renew, isOwner, release }: HeldClaim,
  clock: Required<Clock>,
  { expired, leaseMs, file }: Pick<Lock, 'expired'> & { leaseMs: number; file: string },
): Lock {
  const renewLater = (): (() => void) =>
    clock.after(renewEveryMs(leaseMs), () => {
      try {
        renew()
      } catch {
        // The next renewal may succeed; before each request the owner checks that it still is one.
      }
      cancel = renewLater()
    })
  let cancel = renewLater()
  return {
    expired,
    isOwner,
    release() {
      cancel()
      try {
        release()
      } catch (error) {
        throw cannotWrite(file, error)
      }
    },
  }
}

/** A claim, and the text that its owner has not changed for the time of its lease. */
interface ExpiredClaim extends Claim {
  renewal: string
}

/**
 * Watch the claims of other processes until each is released or has expired; resolves to the expired ones.
 *
 * @throws {BulkError} if one of them is renewed
 */
async function expiredClaims(
  folder: string,
  stem: string,
  wanted: WantedClaim & { leaseMs: number },
  environment: LockEnvironment,
  { onLease, stop }: LeaseOptions,
): Promise<readonly ExpiredClaim[]> {
  const { clock, disk } = environment
  const sightings = new Map<string, Sighting>()
  for (let isFirst = true; ; isFirst = false) {
    const now = clock.monotonic()
    let left = 0
    const rivals = rivalClaims(folder, stem, wanted, environment)
    for (const each of rivals) {
      const { id, leaseMs = wanted.leaseMs } = each
      const seen = watchLease(sightings.get(id), renewalOf(disk, each), now, leaseMs)
      if (seen.state === 'renewed') throw lockedBy(each, folder, environment)
      sightings.set(id, seen)
      if (seen.state === 'watched') left = Math.max(left, seen.since + leaseMs - now)
    }
    const [first] = rivals
    if (left <= 0 || !first) return rivals.map((each) => ({ ...each, renewal: sightings.get(each.id)?.content ?? '' }))
    if (isFirst) onLease?.(first, left)
    await sleep(clock, Math.min(left, renewEveryMs(wanted.leaseMs)), stop)
  }
}

function lockedBy(owner: Claim, folder: string, environment: LockEnvironment): BulkError {
  const { pid, host, at, ledger } = owner
  const details = [join(folder, `${ledger}.jsonl`)]
  if (isSelf(owner, environment.host)) {
    return new BulkError('ledger_locked', `This process writes this ledger already, since ${at}.`, {
      details,
      hint: 'use the run or uploader that has it; or start the next one when that has ended or is closed',
    })
  }
  return new BulkError('ledger_locked', `Another process writes this ledger: pid ${pid} on ${host}, since ${at}.`, {
    details,
    hint: 'run it again when that process has ended',
  })
}

import { type Attempt, type NetworkFailure, timedOut } from '../errors/index.js'
import type { RetryClass } from '../operation.js'
import { longestRetryAfterMs } from './retry-after.js'

/**
 * The number of attempts and the waits between them. The method decides which failures are retried: a read any temporary
 * one; a write only if it never reached the server or is provably not stored.
 */
export interface RetryPolicy {
  /** Maximum number of attempts, without those answered with 429. Default 3. */
  attempts: number
  /** Upper bound of the first random back-off in milliseconds; it doubles with each attempt. Default 500. */
  baseMs: number
  /** Maximum back-off in milliseconds. Default 8 000. */
  capMs: number
  /**
   * Maximum `Retry-After` to wait for, in milliseconds; at most a day. A longer one rejects at once, with `retryAt` in the
   * error; 0 never waits for a 429. Default 60 000 (interface: Limits).
   */
  maxRetryAfterMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 3, baseMs: 500, capMs: 8_000, maxRetryAfterMs: 60_000 }

export const noRetry: RetryPolicy = { attempts: 1, baseMs: 0, capMs: 0, maxRetryAfterMs: 0 }

/** How an attempt ended: with a status, or without a complete answer. */
export type AttemptResult =
  | { status: number; retryAfterMs?: number | undefined; failure?: undefined }
  | { failure: NetworkFailure['failure']; status?: undefined; retryAfterMs?: undefined }

/** Counts of a call, including this attempt. */
export interface History {
  /** Attempts without those answered with 429. */
  attempts: number
  refusals: number
  /** Attempts lost after sending. */
  lost: number
}

export function historyOf(attempts: readonly Attempt[]): History {
  const refusals = attempts.filter(({ status }) => status === 429).length
  const isLost = ({ cause, sent }: Attempt) => cause !== undefined && cause !== timedOut && sent !== 'no'
  return { attempts: attempts.length - refusals, refusals, lost: attempts.filter(isLost).length }
}

export type Decision =
  | { next: 'retry'; waitMs: number }
  | { next: 'fail' }
  /** A write may be stored: it is never sent again before a search. One that no search can find fails as ambiguous. */
  | { next: 'reconcile' }

type Cell = 'retry' | 'never' | 'once' | 'reconcile'

/** How an attempt failed. `unreached` is always retried, because nothing was sent; `error` is a status such as 500. */
type Column = 'unreached' | 'error' | 'gateway' | 'timeout' | 'lost' | 'mismatch'

const table: Record<RetryClass, Partial<Record<Column, Cell>> & { otherwise: Cell }> = {
  read: { otherwise: 'retry', mismatch: 'never' },
  compute: { otherwise: 'never', gateway: 'retry', lost: 'once' },
  write: { otherwise: 'reconcile' },
  batch: { otherwise: 'never' },
  legacy: { otherwise: 'reconcile' },
}

/** Minimum wait after a 429, which does not count as an attempt. */
const minRateLimitWaitMs = 100

/** Decides whether and when an attempt is retried. Pure: `random` is an argument. */
export function decide(
  repeat: RetryClass,
  result: AttemptResult,
  history: History,
  policy: RetryPolicy,
  random: number,
): Decision {
  const { status, retryAfterMs } = result
  const isTooLong = (retryAfterMs ?? 0) > Math.min(policy.maxRetryAfterMs, longestRetryAfterMs)
  if (status === 429) {
    if (policy.maxRetryAfterMs <= 0 || isTooLong) return { next: 'fail' }
    const waitMs = waitFor(history.refusals, retryAfterMs, policy, random)
    return { next: 'retry', waitMs: Math.max(waitMs, minRateLimitWaitMs) }
  }
  const column = columnOf(result)
  const row = table[repeat]
  const cell = !column ? 'never' : column === 'unreached' ? 'retry' : (row[column] ?? row.otherwise)
  if (cell === 'reconcile') return { next: 'reconcile' }
  const isLast = isTooLong || history.attempts >= policy.attempts || (cell === 'once' && history.lost > 1)
  if (cell === 'never' || isLast) return { next: 'fail' }
  return { next: 'retry', waitMs: waitFor(history.attempts, retryAfterMs, policy, random) }
}

/** Undefined for a result that is never retried and stores nothing. */
function columnOf({ status, failure }: AttemptResult): Column | undefined {
  if (failure) return failure === 'misconfigured' ? undefined : failure
  if (status === 408 || status === 499 || status === 504) return 'timeout'
  if (status === 502 || status === 503) return 'gateway'
  return status >= 500 && status !== 501 ? 'error' : undefined
}

/** Full-jitter back-off, but at least `Retry-After` with its spread. */
export function waitFor(count: number, retryAfterMs: number | undefined, policy: RetryPolicy, random: number): number {
  const backOffMs = random * Math.min(policy.baseMs * 2 ** (count - 1), policy.capMs)
  return Math.max(backOffMs, spreadOver(retryAfterMs ?? 0, random))
}

/** `Retry-After` plus a random spread, so that waiting callers do not come back together. */
export const spreadOver = (retryAfterMs: number, random: number): number =>
  retryAfterMs + random * Math.min(retryAfterMs * 0.2, 2_000)

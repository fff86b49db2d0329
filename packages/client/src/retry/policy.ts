import type { RetryClass } from '../operation.js'

/**
 * How often and how patiently a call is repeated. What is repeated at all is a matter of the verb: reads are, after
 * anything that may pass; a write when it never reached the server, or is provably not stored.
 */
export interface RetryPolicy {
  /** Attempts in all, at least 1; an answer of 429 is not counted. Default 3. */
  attempts: number
  /**
   * The first back-off's upper end in milliseconds; the wait is drawn between 0 and it, and it doubles. Default 500.
   */
  baseMs: number
  /** The longest back-off in milliseconds. Default 8 000. */
  capMs: number
  /**
   * The longest `Retry-After` that is waited for, in milliseconds; a longer one rejects at once, and the error's
   * `retryAt` says when. 0 waits for no 429. Default 60 000 (interface: Limits).
   */
  maxRetryAfterMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 3, baseMs: 500, capMs: 8_000, maxRetryAfterMs: 60_000 }

/** `retry: false`: one request, whatever comes back. */
export const noRetry: RetryPolicy = { attempts: 1, baseMs: 0, capMs: 0, maxRetryAfterMs: 0 }

/** What became of one attempt. */
export type Outcome =
  | { status: number; retryAfterMs?: number | undefined }
  /** The request never reached the server. */
  | { failure: 'unreached' }
  /** TLS could not be agreed on, or the server's certificate was not accepted; nothing was sent. */
  | { failure: 'untrusted' }
  /** No complete answer within the attempt's time-out. */
  | { failure: 'timeout' }
  /** Sent, perhaps, and no readable answer came back. */
  | { failure: 'lost' }

/** What has happened in this call so far, this attempt included. */
export interface History {
  /** Attempts that were not answered with 429. */
  attempts: number
  /** Answers of 429. */
  refusals: number
  /** Attempts that were lost after sending. */
  lost: number
}

export type Decision =
  | { next: 'retry'; waitMs: number }
  | { next: 'fail' }
  /** A write may have been stored: whether it was decides if it is sent again. */
  | { next: 'reconcile' }

type Cell = 'retry' | 'never' | 'once' | 'reconcile'

const mayBeStored: readonly Cell[] = ['retry', 'reconcile', 'reconcile', 'reconcile', 'reconcile']
/** By what became of the attempt: never reached; 500 and other 5xx; 502, 503; 504, time-out; lost after sending. */
const table: Record<RetryClass, readonly Cell[]> = {
  read: ['retry', 'retry', 'retry', 'retry', 'retry'],
  compute: ['retry', 'never', 'retry', 'never', 'once'],
  write: mayBeStored,
  batch: ['retry', 'never', 'never', 'never', 'never'],
  legacy: mayBeStored,
}

/** A 429 is no attempt, so nothing else would keep a call without back-off from asking again and again. */
const leastMs = 100

/** Whether, and after how many milliseconds, an operation is sent again. Pure: chance is an argument. */
export function decide(
  repeat: RetryClass,
  outcome: Outcome,
  history: History,
  policy: RetryPolicy,
  random: number,
): Decision {
  const retryAfterMs = 'status' in outcome ? outcome.retryAfterMs : undefined
  if ('status' in outcome && outcome.status === 429) {
    if (policy.maxRetryAfterMs <= 0 || (retryAfterMs ?? 0) > policy.maxRetryAfterMs) return { next: 'fail' }
    const waitMs = waitFor(history.refusals, retryAfterMs, policy, random)
    return { next: 'retry', waitMs: retryAfterMs === undefined ? Math.max(waitMs, leastMs) : waitMs }
  }
  const cell = table[repeat][columnOf(outcome)] ?? 'never'
  if (cell === 'reconcile') return { next: 'reconcile' }
  if (cell === 'never' || (cell === 'once' && history.lost > 1)) return { next: 'fail' }
  if (history.attempts >= policy.attempts || (retryAfterMs ?? 0) > policy.maxRetryAfterMs) return { next: 'fail' }
  return { next: 'retry', waitMs: waitFor(history.attempts, retryAfterMs, policy, random) }
}

/** The column of the table; -1 for what is never repeated. */
function columnOf(outcome: Outcome): number {
  if ('failure' in outcome) return ['unreached', '', '', 'timeout', 'lost'].indexOf(outcome.failure)
  const { status } = outcome
  if (status === 504) return 3
  if (status === 502 || status === 503) return 2
  return status >= 500 && status !== 501 ? 1 : -1
}

/** `Retry-After` is a floor with a spread on top; without it, full-jitter back-off. Never earlier than asked. */
function waitFor(count: number, retryAfterMs: number | undefined, policy: RetryPolicy, random: number): number {
  if (retryAfterMs === undefined) return random * Math.min(policy.baseMs * 2 ** (count - 1), policy.capMs)
  return retryAfterMs + random * Math.min(retryAfterMs * 0.2, 2_000)
}

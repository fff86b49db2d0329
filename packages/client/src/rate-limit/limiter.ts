import { type Clock, dateAfter, sleep } from '../clock.js'
import { accepted, admit, initialState, isSharedKey, type LimiterState, type Permit, refused } from './state.js'

/** The rate limiter of one key on one surface, shared by every call and every derived client. */
export interface RateLimiter {
  state: LimiterState
}

export const newRateLimiter = (): RateLimiter => ({ state: initialState })

export interface WaitLimits {
  clock: Required<Clock>
  deadlineAt: number
  /** The call is not admitted before this instant, whatever the state of the key. */
  notBefore: number
  /** The longest wait for a reset, in milliseconds. */
  longestMs: number
  signal: AbortSignal | undefined
  onWait: (ms: number) => void
}

/** Waits until a call is admitted; gives the time to the reset if that is too far away. Instants are monotonic. */
export async function acquire(limiter: RateLimiter, limits: WaitLimits): Promise<Permit | { closedForMs: number }> {
  const { clock, signal, notBefore } = limits
  let reported = 0
  for (;;) {
    const now = clock.monotonic()
    let waitUntil = Math.max(notBefore, limiter.state.closedUntil)
    // Any other instant is a time to poll, not a reset.
    const isReset = waitUntil > now
    if (!isReset) {
      const admission = admit(limiter.state, now)
      limiter.state = admission.state
      if ('permit' in admission) return admission.permit
      waitUntil = admission.waitUntil
    }
    if (waitUntil >= limits.deadlineAt || (isReset && limiter.state.resetAt - now > limits.longestMs)) {
      return { closedForMs: waitUntil - now }
    }
    // A timer may fire a little early: the loop waits again without a second report.
    if (isReset && waitUntil !== reported) limits.onWait(waitUntil - now)
    reported = waitUntil
    await sleep(clock, Math.ceil(waitUntil - now), signal)
  }
}

/** Reports the answer of an admitted call: the times of the reset after a 429, else nothing. */
export function release(limiter: RateLimiter, permit: Permit, refusal?: { resetAt: number; opensAt: number }): void {
  const { state } = limiter
  limiter.state = refusal ? refused(state, permit, refusal.resetAt, refusal.opensAt) : accepted(state, permit)
}

/** The rate limit learned so far for one key; the interface publishes no numbers (interface: Limits). */
export interface RateLimit {
  /** No call is sent before this time; undefined while calls may go. */
  closedUntil: Date | undefined
  /** Calls sent in the current window and not refused. */
  admitted: number
  /** Calls accepted in the last window that ended in a 429; undefined before the first. */
  quota: number | undefined
  /** Length of the window in milliseconds; undefined until two resets agreed. */
  windowMs: number | undefined
  /** True after a 429 that this client's own calls do not explain: another process uses the same key. */
  shared: boolean
}

export function rateLimitOf({ state }: RateLimiter, clock: Required<Clock>): RateLimit {
  const closedForMs = state.closedUntil - clock.monotonic()
  return {
    closedUntil: closedForMs > 0 ? dateAfter(clock, closedForMs) : undefined,
    admitted: state.admitted,
    quota: state.quota,
    windowMs: state.isConfirmed ? state.windowMs : undefined,
    shared: isSharedKey(state),
  }
}

/** Lets the calls of a key wait together after a 429, and spreads them over the window that it has learned. */
export const rateLimiting = {
  /** Wait until a call may be sent. @internal */
  acquire,
  /** Create the limiter of one key on one surface. @internal */
  newRateLimiter,
  /** Describe the rate limit learned so far. @internal */
  rateLimitOf,
  /** Report the answer of a call. @internal */
  release,
}

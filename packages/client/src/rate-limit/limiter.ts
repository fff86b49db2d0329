import { type Clock, dateAfter, sleep } from '../clock.js'
import type { Surface } from '../operation.js'
import { accepted, admit, initialState, isSharedKey, type LimiterState, refused } from './state.js'

/** The rate limiters of a client: one for each key on each surface, shared by every call and every derived client. */
export interface RateLimiters {
  /** Wait until a call with this key may be sent. */
  acquire(surface: Surface, key: string | undefined, limits: WaitLimits): Promise<Admitted>
  /** The limit learned so far for the key that was used last on a surface. */
  limitOf(surface: Surface, clock: Required<Clock>): RateLimit
}

interface RateLimiter {
  state: LimiterState
}

const maxLimiters = 1_000

const createRateLimiters = (): RateLimiters => {
  /** By surface and hash of the key; the least recently used first. */
  const all = new Map<string, RateLimiter>()
  const latest: Partial<Record<Surface, RateLimiter>> = {}
  return {
    acquire(surface, key = '', limits) {
      const id = `${surface} ${hashOf(key)}`
      const limiter = all.get(id) ?? { state: initialState }
      all.delete(id)
      all.set(id, limiter)
      const [oldest] = all.keys()
      if (all.size > maxLimiters && oldest !== undefined) all.delete(oldest)
      latest[surface] = limiter
      return acquire(limiter, limits)
    },
    limitOf: (surface, clock) => rateLimitOf(latest[surface]?.state ?? initialState, clock),
  }
}

/** A polynomial hash modulo a prime of 44 bits, so that no key is kept. */
const hashOf = (key: string): number =>
  [...key].reduce((hash, unit) => (hash * 257 + unit.charCodeAt(0)) % 17_592_186_044_399, 1)

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

/** The reset after a 429: when the window ends, and when calls are admitted again. */
export interface Reset {
  resetAt: number
  opensAt: number
}

/** Reports the answer of an admitted call: the reset after a 429, else nothing. */
export type Release = (reset?: Reset) => void

/** The admission of a call; or the time to the reset, if that is too far away. */
export type Admitted = { release: Release; hasWaited: boolean } | { closedForMs: number }

/** Waits until a call is admitted. Instants are monotonic. */
async function acquire(limiter: RateLimiter, limits: WaitLimits): Promise<Admitted> {
  const { clock, signal, notBefore } = limits
  let reported = 0
  for (let hasWaited = false; ; hasWaited = true) {
    const now = clock.monotonic()
    const { closedUntil, farResetAt, resetAt } = limiter.state
    if (farResetAt !== undefined && now < closedUntil) return { closedForMs: farResetAt - now }
    let waitUntil = Math.max(notBefore, closedUntil)
    // Any other instant is a time to poll, not a reset.
    const isReset = waitUntil > now
    if (!isReset) {
      const admission = admit(limiter.state, now)
      limiter.state = admission.state
      if ('permit' in admission) {
        const { permit } = admission
        const release: Release = (reset) => {
          const { state } = limiter
          limiter.state = reset ? refused(state, permit, reset.resetAt, reset.opensAt) : accepted(state, permit)
        }
        return { release, hasWaited }
      }
      waitUntil = admission.waitUntil
    }
    if (waitUntil >= limits.deadlineAt || (isReset && resetAt - now > limits.longestMs)) {
      return { closedForMs: waitUntil - now }
    }
    // A timer may fire a little early: the loop waits again without a second report.
    if (isReset && waitUntil !== reported) limits.onWait(waitUntil - now)
    reported = waitUntil
    await sleep(clock, Math.ceil(waitUntil - now), signal)
  }
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

function rateLimitOf(state: LimiterState, clock: Required<Clock>): RateLimit {
  const { closedUntil, admitted, quota, windowMs, isConfirmed } = state
  const closedForMs = closedUntil - clock.monotonic()
  return {
    closedUntil: closedForMs > 0 ? dateAfter(clock, closedForMs) : undefined,
    admitted,
    quota,
    windowMs: isConfirmed ? windowMs : undefined,
    shared: isSharedKey(state),
  }
}

/** Lets the calls of a key wait together after a 429, and spreads them over the window that it has learned. */
export const rateLimiting = {
  /** Create the limiters of a client. @internal */
  createRateLimiters,
}

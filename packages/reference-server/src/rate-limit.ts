import { Refusal } from './refusal.js'
import type { Surface } from './types.js'

/**
 * So many requests in a fixed window; one more is answered with 429 and `Retry-After`
 * (interface: Limits › Surface A).
 */
export interface Quota {
  /** How many pass in one window. */
  requests: number
  /** Length of a window in milliseconds; it begins with the first request after the last one ended. */
  windowMs: number
}

/** What is limited: each key on each surface, and the provider as a whole (interface: Limits). */
export interface RateLimits extends Quota {
  /** Holds for all keys together on `POST /v1/annotations`, the capacity of the provider. Default: none. */
  saturation?: Quota
}

/** A window that has begun: when, and how many requests it has let through. */
export interface Window {
  startedAt: number
  used: number
}

/** What a request finds: the window after it, and the seconds to wait if it is one too many. */
export interface Admission {
  window: Window
  retryAfterSeconds?: number
}

/**
 * Decides a request in a fixed window. A window begins with the first request after the last one ended, and not at a
 * round time, so that a test with few requests never straddles an edge.
 */
export function admit(last: Window | undefined, now: number, { requests, windowMs }: Quota): Admission {
  const open = last !== undefined && now >= last.startedAt && now < last.startedAt + windowMs
  const window = open ? last : { startedAt: now, used: 0 }
  if (window.used < requests) return { window: { ...window, used: window.used + 1 } }
  return { window, retryAfterSeconds: Math.ceil((window.startedAt + windowMs - now) / 1000) }
}

/** The windows of one server. */
export class RateLimiter {
  readonly #limits: RateLimits
  readonly #windows = new Map<string, Window>()

  constructor(limits: RateLimits) {
    this.#limits = limits
  }

  /** Counts a request of a key, or refuses it with 429. What is refused uses up nothing. */
  pass(surface: Surface, key: string, now: number, saturates: boolean): void {
    const name = `${surface} ${key}`
    const own = admit(this.#windows.get(name), now, this.#limits)
    if (own.retryAfterSeconds !== undefined)
      throw tooManyRequests('The rate limit of this key is used up.', own.retryAfterSeconds)
    const { saturation } = this.#limits
    if (saturation && saturates) {
      const all = admit(this.#windows.get(everyKey), now, saturation)
      if (all.retryAfterSeconds !== undefined)
        throw tooManyRequests('The provider is saturated.', all.retryAfterSeconds)
      this.#windows.set(everyKey, all.window)
    }
    this.#windows.set(name, own.window)
  }

  /** Ends every window. */
  reset(): void {
    this.#windows.clear()
  }
}

/** No key on a surface has this name: that one holds a space. */
const everyKey = 'saturation'

/** 429 with `Retry-After`. */
export const tooManyRequests = (message: string, seconds: number): Refusal =>
  new Refusal(429, message, { headers: { 'retry-after': String(seconds) } })

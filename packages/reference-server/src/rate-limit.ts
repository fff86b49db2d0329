import { parseDuration } from '@svc/text'
import { Refusal } from './refusal.js'
import type { Surface } from './types.js'

/** A number of requests in a fixed window; one more gets 429 with `Retry-After` (interface: Limits › Surface A). */
export interface Quota {
  /** How many requests one window accepts. */
  requests: number
  /** Length of a window in milliseconds. It begins with the first request after the end of the last one. */
  windowMs: number
}

/** The quota of each key on each surface, and of the provider as a whole (interface: Limits); at least one of the two. */
export type RateLimits = (Quota | { requests?: undefined; windowMs?: undefined }) & {
  /** The quota of all keys together on `POST /v1/annotations`: the capacity of the provider. Default: none. */
  saturation?: Quota
}

/**
 * Parse limits whose quotas are texts such as `200/10s`: of each key, and of the provider. Undefined without both.
 *
 * @throws {Error} if a text is no number and time
 */
export function parseLimits(quota: string | undefined, saturation?: string): RateLimits | undefined {
  if (quota === undefined && saturation === undefined) return undefined
  return {
    ...(quota !== undefined && parseQuota(quota)),
    ...(saturation !== undefined && { saturation: parseQuota(saturation) }),
  }
}

function parseQuota(text: string): Quota {
  const [, count, time = ''] = /^(\d+)\/([^/]+)$/.exec(text) ?? []
  const requests = Number(count)
  const windowMs = parseDuration(time) ?? 0
  if (Number.isSafeInteger(requests) && windowMs > 0) return { requests, windowMs }
  throw new Error(`Invalid limit "${text}": expected a number and a time, such as 200/10s.`)
}

interface Window {
  startedAt: number
  requests: number
}

/** A window that has begun: of a key on a surface, or without them of the provider. */
export interface WindowState {
  /** The surface of the key. */
  surface?: Surface
  /** The key, in clear. */
  key?: string
  /** Milliseconds since it began. */
  ageMs: number
  /** The requests that it has counted. */
  requests: number
}

export class RateLimiter {
  readonly #initial: RateLimits | undefined
  #limits: RateLimits | undefined
  readonly #windows = new Map<string, Window>()

  constructor(limits: RateLimits | undefined) {
    this.#initial = limits
    this.set(limits)
  }

  /** Count a request of a key. Throws a 429 if it is over a limit; it is not counted then. */
  count(surface: Surface, key: string, now: number, isProviderLimited: boolean): void {
    if (!this.#limits) return
    const { saturation, ...quota } = this.#limits
    const windows = new Map<string, Window>()
    const open = (name: string, of: Quota, message: string) => windows.set(name, this.#open(name, now, of, message))
    if (quota.requests !== undefined) open(`${surface} ${key}`, quota, 'The rate limit of this key is used up.')
    if (saturation && isProviderLimited) open('saturation', saturation, 'The provider is saturated.')
    for (const [name, { startedAt, requests }] of windows)
      this.#windows.set(name, { startedAt, requests: requests + 1 })
  }

  set(limits: RateLimits | undefined): void {
    this.#limits = limits && {
      ...(limits.requests !== undefined && finite(limits)),
      ...(limits.saturation && { saturation: finite(limits.saturation) }),
    }
    this.#windows.clear()
  }

  reset(): void {
    this.set(this.#initial)
  }

  get limits(): RateLimits | undefined {
    return this.#limits
  }

  windows(now: number): WindowState[] {
    return Array.from(this.#windows, ([name, { startedAt, requests }]) => {
      const [surface, key] = name.split(' ') as [Surface, string?]
      return { ...(key !== undefined && { surface, key }), ageMs: now - startedAt, requests }
    })
  }

  /** Replace the windows, as they were at another time. */
  restore(windows: readonly WindowState[], now: number): void {
    this.#windows.clear()
    for (const { surface, key, ageMs, requests } of windows)
      this.#windows.set(key === undefined ? 'saturation' : `${surface} ${key}`, { startedAt: now - ageMs, requests })
  }

  /** The current window, if it has room. A window begins with its first request, so that a test never straddles two. */
  #open(name: string, now: number, { requests, windowMs }: Quota, message: string): Window {
    const last = this.#windows.get(name)
    const isCurrent = last !== undefined && now >= last.startedAt && now < last.startedAt + windowMs
    const window = isCurrent ? last : { startedAt: now, requests: 0 }
    if (window.requests < requests) return window
    throw tooManyRequests(message, Math.ceil((window.startedAt + windowMs - now) / 1000))
  }
}

/** JSON has no Infinity. */
const finite = ({ requests, windowMs }: Quota): Quota => ({
  requests: Math.min(requests, Number.MAX_SAFE_INTEGER),
  windowMs,
})

const tooManyRequests = (message: string, seconds: number): Refusal =>
  new Refusal(429, message, { headers: { 'retry-after': String(seconds) } })

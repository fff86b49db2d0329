/** So many requests of a key on a surface in a window. */
export interface RateLimits {
  requests: number
  /** Length of the window in milliseconds. */
  windowMs: number
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
export function admit(last: Window | undefined, now: number, { requests, windowMs }: RateLimits): Admission {
  const open = last !== undefined && now >= last.startedAt && now < last.startedAt + windowMs
  const window = open ? last : { startedAt: now, used: 0 }
  if (window.used < requests) return { window: { ...window, used: window.used + 1 } }
  return { window, retryAfterSeconds: Math.ceil((window.startedAt + windowMs - now) / 1000) }
}

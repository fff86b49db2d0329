/** The only source of time and randomness of a client, so that a test can control both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** A number from 0 up to but not including 1. */
  random(): number
  /** Call `callback` once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, callback: () => void): () => void
}

/** The clock of the machine: `Date.now`, `Math.random` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, callback) {
    // A longer time-out would fire at once.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}

/** Waits for `work`; rejects with the signal's reason on abort, or with a TimeoutError after `ms`. */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T> {
  let abort = () => {}
  let cancel = () => {}
  try {
    return await new Promise((resolve, reject) => {
      abort = () => reject(signal?.reason)
      signal?.addEventListener('abort', abort)
      cancel = clock.after(ms, () => reject(timeoutError()))
      work.then(resolve, reject)
    })
  } finally {
    cancel()
    signal?.removeEventListener('abort', abort)
  }
}

/** Same as the reason of `AbortSignal.timeout()`. */
export const timeoutError = (): DOMException => new DOMException('The time-out passed.', 'TimeoutError')

/** Resolves after `ms`; rejects at once with the signal's reason on abort. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

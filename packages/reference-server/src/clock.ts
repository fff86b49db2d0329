/** Where the time comes from: milliseconds since the epoch. A test passes one that it moves by hand. */
export interface Clock {
  /** Milliseconds since the epoch. Should not go back. */
  now(): number
  /** Calls back once, `ms` later; gives a function that cancels it. Default: a timer of the machine. */
  after?(ms: number, callback: () => void): () => void
}

const longestMs = 2 ** 31 - 1

/** The time of the machine; the default. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  after(ms, callback) {
    // A longer timer would go off at once.
    const wait = (left: number) =>
      setTimeout(
        () => {
          if (left <= longestMs) callback()
          else timer = wait(left - longestMs)
        },
        Math.min(left, longestMs),
      )
    let timer = wait(ms)
    return () => clearTimeout(timer)
  },
}

/** Calls back once, `ms` later by the clock; gives a function that cancels it. */
export function after(clock: Clock, ms: number, callback: () => void): () => void {
  return clock.after ? clock.after(ms, callback) : systemClock.after(ms, callback)
}

/** Waits `ms` by the clock, or until the signal is aborted; never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    let cancel = () => {}
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
    cancel = after(clock, ms, done)
  })
}

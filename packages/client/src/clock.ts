import { domException } from './environment.js'

/** The only source of time and randomness of a client, so that a test can control both. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. Used only to read dates of the service and to show times. */
  now(): number
  /** Milliseconds that never go back, from any start. Measures waits, time-outs and deadlines. Default: `now`. */
  monotonic?(): number
  /** A number from 0 up to but not including 1. Default: `Math.random`. */
  random?(): number
  /** Call `callback` once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, callback: () => void): () => void
}

/** The instant of a clock that may have no `monotonic`. */
export const monotonicOf = (clock: Pick<Clock, 'now' | 'monotonic'>): number => clock.monotonic?.() ?? clock.now()

/**
 * A clock with all of its parts: `monotonic` is `now` where it is missing, and `random` is `Math.random`.
 *
 * @example
 * const startedAt = fullClock(clock).monotonic()
 */
export const fullClock = (clock: Clock): Required<Clock> => ({
  now: () => clock.now(),
  monotonic: () => monotonicOf(clock),
  random: () => clock.random?.() ?? Math.random(),
  after: (ms, callback) => clock.after(ms, callback),
})

/** A longer time-out of `setTimeout` would fire at once. */
const longestTimeoutMs = 2 ** 31 - 1

let elapsedMs = 0
let readAt = 0

/** `performance` may restart or jump back: fake timers replace it. Time does not pass at such a step. */
function monotonic(): number {
  const { performance = Date } = globalThis as { performance?: { now(): number } }
  const now = performance.now()
  elapsedMs += Math.max(0, now - readAt)
  readAt = now
  return elapsedMs
}

/** The clock of the machine: `Date.now`, `performance.now`, `Math.random` and `setTimeout`. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic,
  random: () => Math.random(),
  after(ms, callback) {
    const wholeMs = Math.min(Math.ceil(ms), longestTimeoutMs)
    const dueAt = monotonic() + wholeMs
    let timer = setTimeout(() => {
      const earlyMs = dueAt - monotonic()
      if (earlyMs <= 0) return callback()
      // A busy process starts its timers early. If the rest passes early too, only the timers are faked: follow them.
      timer = setTimeout(() => {
        elapsedMs += Math.max(0, dueAt - monotonic())
        callback()
      }, earlyMs)
    }, wholeMs)
    return () => clearTimeout(timer)
  },
}

/** The wall time after `ms`; at most the last that a Date can hold. */
export const dateAfter = (clock: Required<Clock>, ms: number): Date => new Date(Math.min(clock.now() + ms, 8.64e15))

/** Calls back once a signal is aborted, at once if it is already; the returned function stops that. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  signal?.addEventListener('abort', callback)
  if (signal?.aborted) callback()
  return () => signal?.removeEventListener('abort', callback)
}

/** Waits for what `start` resolves, whose result cancels it; rejects at once with the signal's reason on abort. */
async function untilAbort<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  let cancel = () => {}
  let release = cancel
  try {
    return await new Promise<T>((resolve, reject) => {
      cancel = start(resolve, reject)
      release = onAbort(signal, () => reject(signal?.reason))
    })
  } finally {
    cancel()
    release()
  }
}

/** Calls a function of the caller within the time that a call has left; `refused` makes the error of its failure. */
export async function fromCaller<T>(
  give: () => T | Promise<T>,
  clock: Required<Clock>,
  { deadlineAt, signal }: { deadlineAt: number; signal: AbortSignal | undefined },
  refused: (cause: unknown) => Error,
): Promise<T> {
  try {
    return await untilAbort<T>(signal, (resolve, reject) => {
      Promise.resolve().then(give).then(resolve, reject)
      return clock.after(deadlineAt - clock.monotonic(), () => reject(timeoutError()))
    })
  } catch (cause) {
    throw signal?.aborted ? signal.reason : refused(cause)
  }
}

/** Same as the reason of `AbortSignal.timeout()`. */
export const timeoutError = (): Error => domException('The time-out passed.', 'TimeoutError')

/** Resolves after `ms` milliseconds; rejects at once with the signal's reason on abort. */
export const sleep = (clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> =>
  untilAbort(signal, (resolve) => clock.after(ms, resolve))

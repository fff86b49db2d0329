import { lastMs } from './validation/index.js'

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

let second = Number.NaN
let text = ''

/** A time, in milliseconds since the epoch, as the header Date writes it. All answers of one second share the text. */
export function httpDate(at: number): string {
  if (Math.floor(at / 1000) !== second) {
    second = Math.floor(at / 1000)
    text = new Date(at).toUTCString()
  }
  return text
}

/** A clock that runs as another does, and that can be moved on and stopped. */
export interface SteeredClock extends Clock {
  /** Calls back once, `ms` milliseconds later by this clock; gives a function that cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Moves on by so many milliseconds; what falls due on the way is called back, in order. */
  advance(ms: number): void
  /** Moves on to a time, in milliseconds since the epoch. Throws a RangeError for one that has passed. */
  moveTo(time: number): void
  /** Stands still until `run`, but for `advance` and `moveTo`. */
  stop(): void
  /** Runs on from the time at which it stands. Nothing happens when it runs already. */
  run(): void
  /** False from `stop` to `run`. True at the start. */
  readonly running: boolean
}

interface Timer {
  at: number
  callback: () => void
}

/** Makes a clock that starts with the time of another, and with its pace. Default: the time of the machine. */
export function steeredClock(base: Required<Clock> = systemClock): SteeredClock {
  const timers = new Set<Timer>()
  let ahead = 0
  let stoppedAt: number | undefined
  let unset = () => {}
  const now = () => stoppedAt ?? base.now() + ahead
  const next = () => [...timers].sort((a, b) => a.at - b.at)[0]

  /** One timer of the base is set, for the earliest of ours. */
  const set = () => {
    unset()
    const first = next()
    unset = first && stoppedAt === undefined ? base.after(Math.max(0, first.at - now()), fire) : () => {}
  }
  /** Calls back what falls due until a time, each at its own. */
  const callDue = (until: number) => {
    for (let first = next(); first && first.at <= until; first = next()) {
      leap(first.at)
      timers.delete(first)
      first.callback()
    }
  }
  const fire = () => {
    callDue(now())
    set()
  }
  const moveTo = (time: number) => {
    if (!(time >= now() && time <= lastMs))
      throw new RangeError('The clock only moves on, and to the year 9999 at most.')
    callDue(time)
    leap(time)
    set()
  }
  const leap = (time: number) => {
    const by = Math.max(0, time - now())
    if (stoppedAt === undefined) ahead += by
    else stoppedAt += by
  }
  return {
    now,
    after(ms, callback) {
      const timer = { at: now() + ms, callback }
      timers.add(timer)
      set()
      return () => {
        timers.delete(timer)
        set()
      }
    },
    advance: (ms) => moveTo(now() + ms),
    moveTo,
    stop() {
      stoppedAt ??= now()
      set()
    },
    run() {
      if (stoppedAt === undefined) return
      ahead = stoppedAt - base.now()
      stoppedAt = undefined
      fire()
    },
    get running() {
      return stoppedAt === undefined
    },
  }
}

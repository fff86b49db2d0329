import { lastMs } from './validation/index.js'

/** The source of time. A test passes a clock that it moves by hand. */
export interface Clock {
  /** Milliseconds since the epoch. Should not go back. */
  now(): number
  /** Call back once, `ms` milliseconds later. Returns a function that cancels it. Default: a system timer. */
  after?(ms: number, callback: () => void): () => void
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/** The system clock, the default. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  after(ms, callback) {
    const start = (left: number) =>
      setTimeout(
        () => {
          if (left <= maxTimerMs) callback()
          else timer = start(left - maxTimerMs)
        },
        Math.min(left, maxTimerMs),
      )
    let timer = start(ms)
    return () => clearTimeout(timer)
  },
}

/** Call back once, `ms` later by the clock. Returns a function that cancels it. */
export const after = (clock: Clock, ms: number, callback: () => void): (() => void) =>
  clock.after ? clock.after(ms, callback) : systemClock.after(ms, callback)

/** Wait `ms` by the clock, or until the signal is aborted. Never rejects. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    let cancel = () => {}
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    cancel = after(clock, ms, done)
  })
}

/** A time in milliseconds since the epoch, in the format of the Date header. */
export const httpDate = (at: number): string => new Date(at).toUTCString()

/** A clock that follows another one and can be advanced and stopped. */
export interface SteeredClock extends Required<Clock> {
  /** Advance by milliseconds. Timers that become due are called back in order, each at its time. */
  advance(ms: number): void
  /** Advance to a time, in milliseconds since the epoch. Throws a RangeError for a time in the past. */
  moveTo(time: number): void
  /** Stop until `run`; `advance` and `moveTo` still work. */
  stop(): void
  /** Continue from the time at which the clock stopped. No effect on a running clock. */
  run(): void
  /** False from `stop` to `run`. True at the start. */
  readonly running: boolean
}

interface Timer {
  at: number
  callback: () => void
}

/** Create a clock that starts with the time of another one and follows it. Default: the system clock. */
export function steeredClock(base: Required<Clock> = systemClock): SteeredClock {
  const timers = new Set<Timer>()
  let aheadMs = 0
  let stoppedAt: number | undefined
  let cancelBaseTimer = () => {}
  const now = () => stoppedAt ?? base.now() + aheadMs
  const earliest = () => [...timers].sort((a, b) => a.at - b.at)[0]

  /** Keep one timer of the base, for the earliest of ours. */
  const schedule = () => {
    cancelBaseTimer()
    const timer = earliest()
    cancelBaseTimer =
      timer && stoppedAt === undefined ? base.after(Math.max(0, timer.at - now()), () => travelTo(now())) : () => {}
  }
  const jumpTo = (time: number) => {
    const ms = Math.max(0, time - now())
    if (stoppedAt === undefined) aheadMs += ms
    else stoppedAt += ms
  }
  /** Call back every timer due until `time`, then go there. A base that is running may already be later; the clock keeps that time. */
  const travelTo = (time: number) => {
    for (let timer = earliest(); timer && timer.at <= time; timer = earliest()) {
      jumpTo(timer.at)
      timers.delete(timer)
      timer.callback()
    }
    jumpTo(time)
    schedule()
  }
  /** `from`: the current time. It is read once, because the base may advance between two readings. */
  const move = (from: number, time: number) => {
    if (!(time >= from && time <= lastMs))
      throw new RangeError('The clock only moves forward, and not past the year 9999.')
    travelTo(time)
  }
  return {
    now,
    after(ms, callback) {
      const timer = { at: now() + ms, callback }
      timers.add(timer)
      schedule()
      return () => {
        timers.delete(timer)
        schedule()
      }
    },
    advance(ms) {
      const from = now()
      move(from, from + ms)
    },
    moveTo: (time) => move(now(), time),
    stop() {
      stoppedAt ??= now()
      schedule()
    },
    run() {
      if (stoppedAt === undefined) return
      aheadMs = stoppedAt - base.now()
      stoppedAt = undefined
      schedule()
    },
    get running() {
      return stoppedAt === undefined
    },
  }
}

import { lastMs } from './validation/index.js'

/** The source of time. A test passes a clock that it moves by hand. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number
  /** Milliseconds that never go back, from any start. Default: `now`. */
  monotonic?(): number
  /** Call back once, `ms` milliseconds later. Returns a function that cancels it. Default: a system timer. */
  after?(ms: number, callback: () => void): () => void
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/** The system clock, the default. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
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

/** The time to measure with: no correction of the wall clock changes it. */
export const monotonicOf = (clock: Clock): number => clock.monotonic?.() ?? clock.now()

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

let latestDate = { second: Number.NaN, text: '' }

/** A time in milliseconds since the epoch, in the format of the Date header, which has whole seconds. */
export function httpDate(at: number): string {
  const second = Math.floor(at / 1000)
  // Every answer has the date, and most of them that of the one before.
  if (second !== latestDate.second) latestDate = { second, text: new Date(at).toUTCString() }
  return latestDate.text
}

/** A clock that follows another one and can be advanced and stopped. */
export interface SteeredClock extends Required<Clock> {
  /** Advance by milliseconds. Timers that become due are called back in order, each at its time. */
  advance(ms: number): void
  /** Advance to a time, in milliseconds since the epoch. Throws a RangeError for a time in the past. */
  moveTo(time: number): void
  /** Set the wall time on or back by milliseconds, as a correction of the date does; no time passes. */
  jumpWall(ms: number): void
  /** Stop until `run`; `advance` and `moveTo` still work. */
  stop(): void
  /** Continue from the time at which the clock stopped. No effect on a running clock. */
  run(): void
  /** False from `stop` to `run`. True at the start. */
  readonly running: boolean
}

/** True for a clock that can be advanced and stopped. */
export const isSteered = (clock: Clock): clock is SteeredClock => 'advance' in clock && 'moveTo' in clock

interface Timer {
  at: number
  callback: () => void
}

/**
 * Create a clock that starts with the time of another one and follows it, but not corrections of its date.
 * `createClient({ clock })` takes it too. Default: the system clock.
 */
export function steeredClock(base: Clock = systemClock): SteeredClock {
  const timers = new Set<Timer>()
  let aheadMs = 0
  let stoppedAt: number | undefined
  let wallAheadMs = base.now() - monotonicOf(base)
  let cancelBaseTimer = () => {}
  const monotonic = () => stoppedAt ?? monotonicOf(base) + aheadMs
  const wallAt = (time: number) => Math.floor(time + wallAheadMs)
  const earliest = () => [...timers].sort((a, b) => a.at - b.at)[0]

  /** Keep one timer of the base, for the earliest of ours. */
  const schedule = () => {
    cancelBaseTimer()
    const timer = earliest()
    cancelBaseTimer =
      timer && stoppedAt === undefined
        ? after(base, Math.max(0, timer.at - monotonic()), () => travelTo(monotonic()))
        : () => {}
  }
  const jumpTo = (time: number) => {
    const ms = Math.max(0, time - monotonic())
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
  /** `from`: the current time. It is read once, because the base may advance between two ambiguities. */
  const advance = (from: number, ms: number) => {
    if (!(ms >= 0 && wallAt(from + ms) <= lastMs))
      throw new RangeError('The clock only moves forward, and not past the year 9999.')
    travelTo(from + ms)
  }
  return {
    now: () => wallAt(monotonic()),
    monotonic,
    after(ms, callback) {
      const timer = { at: monotonic() + ms, callback }
      timers.add(timer)
      schedule()
      return () => {
        timers.delete(timer)
        schedule()
      }
    },
    advance: (ms) => advance(monotonic(), ms),
    moveTo(time) {
      const from = monotonic()
      advance(from, time - wallAt(from))
    },
    jumpWall(ms) {
      const time = wallAt(monotonic()) + ms
      if (!(time >= 0 && time <= lastMs)) throw new RangeError('The date must lie between the years 1970 and 9999.')
      wallAheadMs += ms
    },
    stop() {
      stoppedAt ??= monotonic()
      schedule()
    },
    run() {
      if (stoppedAt === undefined) return
      aheadMs = stoppedAt - monotonicOf(base)
      stoppedAt = undefined
      schedule()
    },
    get running() {
      return stoppedAt === undefined
    },
  }
}

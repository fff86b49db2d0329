import type { Clock } from '@svc/client'

/** A clock that stands still until a test moves it. */
export interface HandClock extends Required<Clock> {
  /** Sets the wall clock on or back by `ms`, as somebody who corrects it does; no time passes. */
  jumpWall(ms: number): void
  /** Moves time on by `ms`, running every timer that falls due, in order. */
  advance(ms: number): Promise<void>
  /** Moves time on from timer to timer until the work is done, and gives its result. */
  until<T>(work: Promise<T>): Promise<T>
  /** The value that `random()` returns. Default 0. */
  chance: number
  /** Timers that are waiting, as milliseconds from now. */
  readonly pending: number[]
}

/** Lets everything that is ready run: promises, the streams of in-process answers, and work on the disk. */
const settle = async (turns = 5) => {
  for (let turn = 0; turn < turns || usesDisk(); turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A sync may take longer than any number of turns, and time must not go on meanwhile. */
const usesDisk = () =>
  // A page has no process, and no disk.
  (globalThis as { process?: NodeJS.Process }).process
    ?.getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq')) === true

export function handClock(start = Date.parse('2026-01-01T00:00:00Z')): HandClock {
  let now = start
  let wallAhead = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  /** Those who wait for a timer. */
  const waiting = new Set<() => void>()
  return {
    chance: 0,
    now: () => now + wallAhead,
    // From another start than the wall clock, so that nobody takes one for the other.
    monotonic: () => now - start + 1_000,
    jumpWall(ms) {
      wallAhead += ms
    },
    random() {
      return this.chance
    },
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      for (const wake of waiting) wake()
      waiting.clear()
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        now = next.at
        next.callback()
        await settle()
      }
      now = until
    },
    async until(work) {
      let done = false
      const watched = work.finally(() => {
        done = true
      })
      const ended = watched.catch(() => {})
      while (!done) {
        await settle(20)
        const [next] = this.pending
        if (done) break
        if (next !== undefined) await this.advance(next)
        else {
          // The work awaits a file or a module: turning the loop meanwhile would slow it down.
          await Promise.race([ended, new Promise<void>((resolve) => waiting.add(resolve))])
        }
      }
      return watched
    },
    get pending() {
      return [...timers].map(({ at }) => at - now).sort((a, b) => a - b)
    },
  }
}

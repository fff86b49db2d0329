import { describe, expect, it } from 'vitest'
import { accepted, admit, openGate, refused } from './gate.js'

/** A fixed-window service: `quota` calls in each window of `windowMs`, aligned or beginning with its first call. */
function service(quota: number | ((now: number) => number), windowMs: number, aligned: boolean) {
  let startedAt = Number.NEGATIVE_INFINITY
  const windows: { accepted: number; refused: number }[] = []
  return {
    windows,
    /** Undefined when the call is accepted, else the reset as `Retry-After` tells it: in whole seconds, rounded up. */
    call(now: number): number | undefined {
      if (now >= startedAt + windowMs) {
        startedAt = aligned ? Math.floor(now / windowMs) * windowMs : now
        windows.push({ accepted: 0, refused: 0 })
      }
      const window = windows.at(-1) ?? { accepted: 0, refused: 0 }
      if (window.accepted < (typeof quota === 'number' ? quota : quota(now))) {
        window.accepted++
        return undefined
      }
      window.refused++
      return now + Math.ceil((startedAt + windowMs - now) / 1_000) * 1_000
    },
  }
}

interface Load {
  processes: number
  concurrency: number
  latencyMs: number
  untilMs: number
  spread: () => number
}

/** Processes that call as fast as their gates let them, on a clock that jumps from event to event. */
function simulate(
  target: ReturnType<typeof service>,
  { processes, concurrency, latencyMs, untilMs, spread }: Load,
): void {
  const events: { at: number; order: number; run: (now: number) => void }[] = []
  let order = 0
  const at = (time: number, run: (now: number) => void) => events.push({ at: time, order: order++, run })
  for (let p = 0; p < processes; p++) {
    let state = openGate
    const worker = (now: number): void => {
      const admission = admit(state, now)
      state = admission.state
      if ('waitUntil' in admission) return void at(Math.max(admission.waitUntil, now + 1), worker)
      const { ticket } = admission
      const resetAt = target.call(now)
      const answered = (then: number) => {
        if (resetAt === undefined) state = accepted(state, ticket)
        else state = refused(state, ticket, resetAt, resetAt + spread() * Math.min((resetAt - then) * 0.2, 2_000))
        worker(then)
      }
      // A refusal costs the service no work, so it comes at once.
      at(now + (resetAt === undefined ? latencyMs : 1), answered)
    }
    for (let c = 0; c < concurrency; c++) at(p, worker)
  }
  for (;;) {
    events.sort((a, b) => a.at - b.at || a.order - b.order)
    const next = events.shift()
    if (!next || next.at >= untilMs) return
    next.run(next.at)
  }
}

describe('under a fixed window', () => {
  const chance = () => 0.3
  /** Chance that comes out the same in each run. */
  const dice = (seed: number) => {
    let state = seed * 7_919
    return () => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
      return state / 0x7fffffff
    }
  }

  it.each([true, false])('one process uses the quota and is refused once a window (aligned: %s)', (aligned) => {
    const target = service(200, 10_000, aligned)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 68_000, spread: chance })
    for (const window of target.windows.slice(1, 6)) {
      expect(window.accepted).toBeGreaterThanOrEqual(194)
      expect(window.refused).toBeLessThanOrEqual(1)
    }
  })

  it('one process with slow answers does so in windows of a minute', () => {
    const target = service(60, 60_000, true)
    simulate(target, { processes: 1, concurrency: 40, latencyMs: 20_000, untilMs: 400_000, spread: chance })
    for (const window of target.windows.slice(1, 6)) {
      expect(window.accepted).toBeGreaterThanOrEqual(58)
      expect(window.refused).toBeLessThanOrEqual(1)
    }
  })

  it.each([
    ['two', 2, 200, 10_000, 20, 8],
    ['sixteen', 16, 480, 60_000, 200, 8],
    ['four with slow answers', 4, 60, 60_000, 20_000, 40],
  ])(
    '%s processes on one key use it up, and are refused once each a window',
    (_, processes, quota, windowMs, ...rest) => {
      const [latencyMs, concurrency] = rest
      for (const seed of [1, 2, 3]) {
        const target = service(quota, windowMs, true)
        simulate(target, { processes, concurrency, latencyMs, untilMs: 13 * windowMs, spread: dice(seed) })
        for (const window of target.windows.slice(1, 12)) {
          expect(window.accepted).toBeGreaterThanOrEqual(0.97 * quota)
          expect(window.refused).toBeLessThanOrEqual(processes)
        }
      }
    },
  )

  it('four quick processes use it up, and are mostly refused once each a window, never many times', () => {
    const windows = [1, 2, 3].flatMap((seed) => {
      const target = service(200, 10_000, true)
      simulate(target, { processes: 4, concurrency: 8, latencyMs: 20, untilMs: 130_000, spread: dice(seed) })
      return target.windows.slice(1, 12)
    })
    for (const { accepted, refused } of windows) expect([accepted, refused < 12]).toEqual([200, true])
    expect(windows.filter(({ refused }) => refused <= 4).length).toBeGreaterThan(0.8 * windows.length)
  })

  it('follows a quota that grows', () => {
    const target = service((now) => (now < 30_000 ? 50 : 150), 10_000, true)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 70_000, spread: chance })
    expect(target.windows.map((window) => window.accepted).slice(1, 6)).toEqual([50, 50, 150, 150, 150])
  })
})

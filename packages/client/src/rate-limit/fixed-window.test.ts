import { describe, expect, it } from 'vitest'
import { dice, service, simulate } from '../../test/fixtures/fixed-window.js'

describe('under a fixed window', () => {
  const chance = () => 0.3
  it.each([true, false])('one process uses the whole quota and gets one 429 a window (aligned: %s)', (aligned) => {
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

  it('one process uses it even if answers are too slow for one call at a time', () => {
    const target = service(200, 10_000, true)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 100, untilMs: 68_000, spread: chance })
    for (const window of target.windows.slice(1, 6)) expect([window.accepted, window.refused]).toEqual([200, 1])
  })

  it.each([
    [2, 200, 10_000, 20, 8],
    [4, 200, 10_000, 20, 8],
    [16, 200, 10_000, 20, 8],
    [16, 480, 60_000, 200, 8],
    [4, 60, 60_000, 20_000, 40],
    [4, 20, 60_000, 2_000, 8],
  ])(
    '%i processes on one key use it up, and are refused once each a window (%i calls in %i ms, answers after %i ms)',
    (processes, quota, windowMs, latencyMs, concurrency) => {
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

  it('follows a quota that grows', () => {
    const target = service((now) => (now < 30_000 ? 50 : 150), 10_000, true)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 70_000, spread: chance })
    expect(target.windows.map((window) => window.accepted).slice(1, 6)).toEqual([50, 50, 150, 150, 150])
  })

  it('follows a quota that shrinks, after one 429 for each call in flight', () => {
    const target = service((now) => (now < 60_000 ? 240 : 60), 10_000, true)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 98_000, spread: chance })
    expect(target.windows.map((window) => window.accepted).slice(4, 9)).toEqual([240, 240, 60, 60, 60])
    const refused = target.windows.map((window) => window.refused).slice(4, 9)
    expect(refused.toSpliced(2, 1)).toEqual([1, 1, 1, 1])
    expect(refused[2]).toBeLessThanOrEqual(8)
  })
})

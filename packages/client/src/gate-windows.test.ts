import { describe, expect, it } from 'vitest'
import { dice, service, simulate } from './fixed-window-fixture.js'

describe('under a fixed window', () => {
  const chance = () => 0.3
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

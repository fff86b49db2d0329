import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateVerdict, wilson } from './rates.js'

describe('a rate', () => {
  it('is the observed share, unless some confidence is asked for', () => {
    expect(rateVerdict(5, 100, 0.05, undefined)).toBe('kept')
    expect(rateVerdict(6, 100, 0.05, undefined)).toBe('exceeded')
    expect(rateVerdict(0, 0, 0.05, undefined)).toBe('cannot tell')
  })

  it('cannot be told from few, and can from many', () => {
    expect(rateVerdict(1, 12, 0.05, 0.95)).toBe('cannot tell')
    expect(rateVerdict(0, 12, 0.05, 0.95)).toBe('cannot tell')
    expect(rateVerdict(0, 60, 0.05, 0.95)).toBe('kept')
    expect(rateVerdict(12, 100, 0.05, 0.95)).toBe('exceeded')
  })
})

describe('Wilson’s bounds', () => {
  // Published: Wilson's 95 % interval of 81 in 263 is 0.2553 to 0.3662 (Newcombe 1998, method 3), two-sided.
  it('are those of the literature', () => {
    const [low, high] = wilson(81, 263, 0.975)
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.2553', '0.3662'])
    expect(wilson(0, 20, 0.975).map((bound) => bound.toFixed(4))).toEqual(['0.0000', '0.1611'])
  })

  it('hold the share, lie within 0 and 1, and come closer with more of the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.nat(),
        fc.double({ min: 0.55, max: 0.999, noNaN: true }),
        (n, k, sure) => {
          const hits = k % (n + 1)
          const [low, high] = wilson(hits, n, sure)
          const [nearLow, nearHigh] = wilson(hits * 10, n * 10, sure)
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(hits / n + 1e-9)
          expect(high).toBeGreaterThanOrEqual(hits / n - 1e-9)
          expect(nearHigh - nearLow).toBeLessThanOrEqual(high - low + 1e-9)
        },
      ),
    )
  })
})

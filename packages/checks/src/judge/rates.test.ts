import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateVerdict, wilson } from './rates.js'

describe('a rate', () => {
  it('a rate is the observed share if no confidence is set', () => {
    expect(rateVerdict({ hits: 5, n: 100, missing: 0 }, 0.05, undefined)).toBe('within_limit')
    expect(rateVerdict({ hits: 6, n: 100, missing: 0 }, 0.05, undefined)).toBe('exceeded')
    expect(rateVerdict({ hits: 0, n: 0, missing: 0 }, 0.05, undefined)).toBe('cannot tell')
  })

  it('a rate is undecided with few transcripts, and decided with many', () => {
    expect(rateVerdict({ hits: 1, n: 12, missing: 0 }, 0.05, 0.95)).toBe('cannot tell')
    expect(rateVerdict({ hits: 0, n: 12, missing: 0 }, 0.05, 0.95)).toBe('cannot tell')
    expect(rateVerdict({ hits: 0, n: 60, missing: 0 }, 0.05, 0.95)).toBe('within_limit')
    expect(rateVerdict({ hits: 12, n: 100, missing: 0 }, 0.05, 0.95)).toBe('exceeded')
  })
})

describe('Wilson’s bounds', () => {
  // Published: Wilson's 95 % interval of 81 in 263 is 0.2553 to 0.3662 (Newcombe 1998, method 3), two-sided.
  it('match the published values', () => {
    const [low, high] = wilson(81, 263, 0.975)
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.2553', '0.3662'])
    expect(wilson(0, 20, 0.975).map((bound) => bound.toFixed(4))).toEqual(['0.0000', '0.1611'])
  })

  it('contain the share, lie within 0 and 1, and get closer with more samples', () => {
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

describe('missing transcripts', () => {
  it('never exceed a rate: it is exceeded only if it would be with all of them good', () => {
    expect(rateVerdict({ hits: 1, n: 1, missing: 9 }, 0.15, undefined)).toBe('cannot tell')
    expect(rateVerdict({ hits: 2, n: 2, missing: 8 }, 0.15, undefined)).toBe('exceeded')
    expect(rateVerdict({ hits: 0, n: 1, missing: 9 }, 0.15, undefined)).toBe('within_limit')
  })
})

it.each([
  [7, 125, 5.6 / 100],
  [7, 25, 28 / 100],
  [14, 50, 28 / 100],
])('%i of %i are no more than %d', (hits, n, max) => {
  expect(rateVerdict({ hits, n, missing: 0 }, max, undefined)).toBe('within_limit')
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binsOf } from './plot.js'

describe('bins', () => {
  it('bins are of a round width, and begin at a round value', () => {
    const bins = binsOf([120, 130, 240, 350, 360, 361, 999])
    expect(bins).toMatchObject({ n: 7, min: 120, max: 999, median: 350, p90: 999, from: 100, width: 100 })
    expect(bins?.counts).toEqual([2, 1, 3, 0, 0, 0, 0, 0, 1])
  })

  it('bins are not there without a value', () => {
    expect(binsOf([])).toBeUndefined()
    expect(binsOf([Number.NaN, Number.POSITIVE_INFINITY])).toBeUndefined()
  })

  it('bins are one where all values are the same', () => {
    expect(binsOf([0, 0])).toMatchObject({ counts: [2], median: 0, p90: 0 })
    expect(binsOf([7, 7, 7])?.counts).toEqual([3])
  })

  it('bins have a long tail in the last one', () => {
    const bins = binsOf([...Array.from({ length: 100 }, (_, i) => i), 1_000_000])
    expect(bins).toMatchObject({ from: 0, width: 20, max: 1_000_000 })
    expect(bins?.counts).toEqual([20, 20, 20, 20, 20, 0, 0, 0, 0, 1])
  })

  it('hold each value, in few bins', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 1 }), (values) => {
        const meant = values.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
        const bins = binsOf(values)
        expect(bins === undefined).toBe(meant.length === 0)
        if (!bins) return
        const { counts, n, min, max, median, p90 } = bins
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(meant.length)
        expect(n).toBe(meant.length)
        expect(counts.length).toBeLessThanOrEqual(30)
        expect(min <= median && median <= p90 && p90 <= max).toBe(true)
      }),
    )
  })
})

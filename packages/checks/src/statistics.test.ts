import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  binomial,
  binomialTail,
  criticalCount,
  dropBounds,
  fisherTest,
  flipChance,
  flipTest,
  powerOf,
  randomFrom,
  selfAgreement,
  significance,
  smallestDrop,
} from './statistics.js'

const repeated = (n: number, value: number) => Array.from({ length: n }, () => value)

/** The share of all combinations of signs whose sum is at least as large. */
function enumerated(differences: readonly number[]): number {
  const observed = differences.reduce((total, each) => total + each, 0)
  let hits = 0
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    const total = differences.reduce((all, each, at) => all + (((signs >> at) & 1) === 1 ? 1 : -1) * Math.abs(each), 0)
    if (total >= observed) hits++
  }
  return hits / 2 ** differences.length
}

describe('the sign test', () => {
  it('the sign test has the critical counts of published tables at 5 %, one-sided', () => {
    // The usual tables give n less this count.
    const published = { 5: 5, 6: 6, 7: 7, 8: 7, 9: 8, 10: 9, 11: 9, 12: 10, 13: 10, 15: 12, 20: 15, 25: 18 }
    for (const [n, count] of Object.entries(published)) expect([n, criticalCount(Number(n))]).toEqual([n, count])
  })

  it('the sign test finds nothing in fewer than five changes', () => {
    for (const n of [0, 1, 2, 3, 4]) {
      expect(criticalCount(n)).toBe(n + 1)
      expect(flipTest(repeated(n, 1))).toBeGreaterThan(significance)
    }
  })

  it('the sign test of 5 to 2 000 changes is wrong in at most 5 %, and a smaller count would be wrong more often', () => {
    for (let n = 5; n <= 2000; n++) {
      const least = criticalCount(n)
      expect(binomialTail(least, n, 0.5)).toBeLessThanOrEqual(significance)
      expect(binomialTail(least - 1, n, 0.5)).toBeGreaterThan(significance)
    }
  })

  it('the sign test is wrong in at most 5 % of pairs without a difference, however many of them change', () => {
    for (const n of [5, 6, 20, 96, 100, 500, 2000])
      for (const changing of [0.02, 0.1, 0.3, 0.7, 1])
        expect(powerOf(n, { lost: changing / 2, gained: changing / 2 })).toBeLessThanOrEqual(significance)
  })

  it('the test by signs of differences agrees with the critical count', () => {
    fc.assert(
      fc.property(fc.nat(150), fc.nat(150), (lost, gained) => {
        const isFound = flipTest([...repeated(lost, 1), ...repeated(gained, -1)]) <= significance
        expect(isFound).toBe(lost >= criticalCount(lost + gained))
      }),
      { numRuns: 200 },
    )
  })

  it('the test of clusters equals the enumeration of all signs', () => {
    expect(flipTest([])).toBe(1)
    expect(flipTest([3, -1, 2])).toBe(0.25)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 10 }), (differences) => {
        const changed = differences.filter((each) => each !== 0)
        expect(flipTest(differences)).toBeCloseTo(enumerated(changed), 12)
      }),
    )
  })
})

describe('the size of a drop', () => {
  it('bounds a difference of paired proportions as published', () => {
    const rounded = ({ least, most }: { least: number; most: number }, digits: number) => [
      Number(least.toFixed(digits)),
      Number(most.toFixed(digits)),
    ]
    // Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014): 95 %.
    expect(rounded(dropBounds(21, { lost: 1, gained: 7 }, 1.959964), 3)).toEqual([-0.517, -0.026])
    // PropCIs 0.3-0 of R, scoreci.mp(25, 28, 618, 0.9).
    expect(rounded(dropBounds(618, { lost: 28, gained: 25 }), 4)).toEqual([-0.0148, 0.0247])
  })

  it('bounds a drop on both sides, mirrored for a rise, also without a change', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.nat(300), (lost, gained, same) => {
        const n = lost + gained + same + 1
        const { least, most } = dropBounds(n, { lost, gained })
        expect(least).toBeLessThanOrEqual((lost - gained) / n)
        expect(most).toBeGreaterThanOrEqual((lost - gained) / n)
        const rise = dropBounds(n, { lost: gained, gained: lost })
        expect(rise.least).toBeCloseTo(-most, 9)
        expect(rise.most).toBeCloseTo(-least, 9)
      }),
    )
  })

  it('a drop of 20 points from 90 % in 100 independent pairs, with 2 % misread verdicts, is found in 94.5 %', () => {
    const passing = (share: number) => share * 0.98 + (1 - share) * 0.02
    const [before, after] = [passing(0.9), passing(0.7)]
    const power = powerOf(100, { lost: before * (1 - after), gained: (1 - before) * after })
    expect(power).toBeCloseTo(0.945, 4)
  })

  it('a drift of 5 points that no repeat shows is taken for worse content as often as the guide says', () => {
    const guide = readFileSync(new URL('../../../docs/guides/why-did-the-verdict-change.md', import.meta.url), 'utf8')
    const [before, after] = [0.9, 0.85]
    const rates = [100, 300, 1000].map((n) => {
      const share = powerOf(n, { lost: before * (1 - after), gained: (1 - before) * after })
      // As a simulation finds it: independent verdicts on both sides.
      const random = randomFrom(n)
      const runs = 300
      const worse = Array.from({ length: runs }, () => {
        const steps = Array.from({ length: n }, () => Number(random() < before) - Number(random() < after))
        return flipTest(steps) <= significance
      }).filter(Boolean).length
      expect(Math.abs(worse / runs - share)).toBeLessThan(0.09)
      return Math.round(share * 100)
    })
    expect(rates).toEqual([22, 54, 95])
    expect(guide.replace(/\s+/g, ' ')).toContain(`in ${rates[2]} % of all comparisons of 1 000 pairs`)
  })

  it('the probability to find a drop equals the enumeration of all changes', () => {
    const [n, lost, gained] = [14, 0.4, 0.1]
    let expected = 0
    for (let w = 0; w <= n; w++)
      for (let b = 0; w + b <= n; b++)
        if (w >= criticalCount(w + b))
          expected += binomial(w + b, n, lost + gained) * binomial(w, w + b, lost / (lost + gained))
    expect(powerOf(n, { lost, gained })).toBeCloseTo(expected, 12)
  })

  it('the smallest drop that is found is found in 90 %, and a tenth of a point less is not', () => {
    for (const [n, gained] of [
      [20, 0],
      [96, 3],
      [400, 10],
    ] as const) {
      const drop = smallestDrop(n, gained) ?? Number.NaN
      const share = (gained + 0.5) / (n + 1)
      expect(powerOf(n, { lost: share + drop, gained: share })).toBeGreaterThanOrEqual(0.9)
      expect(powerOf(n, { lost: share + drop - 0.001, gained: share })).toBeLessThan(0.9)
    }
    expect(smallestDrop(96, 3)).toBe(0.137)
  })

  it('no drop is named for pairs that are too few to find any', () => {
    for (const n of [0, 1, 4, 5]) expect(smallestDrop(n, 0)).toBeNull()
  })
})

it("Fisher's exact test gives the probabilities of his tea tasting", () => {
  // Fisher, The Design of Experiments (1935), chapter 2: 17 of 70 and 1 of 70.
  expect(fisherTest({ fails: 1, n: 4 }, { fails: 3, n: 4 })).toBeCloseTo(17 / 70, 12)
  expect(fisherTest({ fails: 0, n: 4 }, { fails: 4, n: 4 })).toBeCloseTo(1 / 70, 12)
  expect(fisherTest({ fails: 4, n: 4 }, { fails: 0, n: 4 })).toBeCloseTo(1, 12)
})

describe('the agreement of attempts', () => {
  it('counts the pairs of attempts on a transcript that agree', () => {
    expect(selfAgreement([{ fails: 1, n: 3 }])?.share).toBeCloseTo(1 / 3, 12)
    expect(selfAgreement([{ fails: 2, n: 4 }])?.share).toBeCloseTo(1 / 3, 12)
    expect(selfAgreement([{ fails: 3, n: 3 }])).toMatchObject({ share: 1, least: 1, most: 1 })
    expect(selfAgreement([{ fails: 1, n: 1 }])).toBeUndefined()
  })

  it('is bounded by a bootstrap over the transcripts that gives the same numbers each time', () => {
    const votes = Array.from({ length: 100 }, (_, at) => ({ fails: at % 4 === 0 ? 1 : 0, n: 2 }))
    const { share, least, most } = selfAgreement(votes) ?? { share: 0, least: 0, most: 0 }
    expect(share).toBe(0.75)
    // The bounds of a mean of 100 coins: 0.75 ± 1.645 · √(0.75 · 0.25 / 100).
    expect(Math.abs(least - 0.68)).toBeLessThan(0.015)
    expect(Math.abs(most - 0.82)).toBeLessThan(0.015)
    expect(selfAgreement(votes)).toEqual({ share, least, most, transcripts: 100 })
  })

  it.each<[string, (random: () => number) => number]>([
    ['all fail in one of ten attempts', () => 0.1],
    ['nine of ten pass and one fails, each misread in 5 %', (random) => (random() < 0.9 ? 0.05 : 0.95)],
    ['one in five is unclear', (random) => (random() < 0.8 ? 0.01 : random())],
    ['each has a chance of its own', (random) => random()],
  ])('gives about as many changes from pass to fail as a repeat has, if %s', (_, chanceOf) => {
    const random = randomFrom(13)
    const [n, attempts, repeats] = [200, 3, 30]
    const fails = (chance: number) => Array.from({ length: attempts }, random).filter((each) => each < chance).length
    let [flips, expected] = [0, 0]
    for (let run = 0; run < repeats; run++) {
      const pairs = Array.from({ length: n }, () => {
        const chance = chanceOf(random)
        return [fails(chance), fails(chance)] as const
      })
      flips += pairs.filter(([first, next]) => first < 2 && next >= 2).length
      expected +=
        n *
        flipChance(
          pairs.map(([first]) => ({ fails: first, n: attempts })),
          [attempts, attempts],
        )
    }
    // Three attempts leave the distribution of the chances open, but for its first three moments.
    expect(Math.abs(expected - flips) / (n * repeats)).toBeLessThan(0.015)
  })

  it('gives no change from pass to fail without a disagreement', () => {
    const same = (fails: number) => Array.from({ length: 20 }, () => ({ fails, n: 3 }))
    expect(flipChance([], [3, 3])).toBe(0)
    expect(flipChance([...same(0), ...same(3)], [3, 3])).toBeLessThan(0.001)
  })

  it('a seed gives numbers from 0 to 1 that are spread evenly', () => {
    const random = randomFrom(7)
    const numbers = Array.from({ length: 10_000 }, random)
    const tenths = Array.from({ length: 10 }, (_, at) => numbers.filter((n) => Math.floor(n * 10) === at).length)
    for (const each of tenths) expect(Math.abs(each - 1000)).toBeLessThan(150)
  })
})

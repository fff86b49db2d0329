import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../../../test/helpers/long.js'
import { binomial } from '../statistics.js'
import { type LabelledCase, ratesOf, sumOfShares, wilson } from './estimate.js'

const cases = (stratum: LabelledCase['stratum'], isBad: boolean, n: number, fails = stratum === 'failed') =>
  Array.from({ length: n }, (): LabelledCase => ({ stratum, isBad, fails }))

/** ln(n!) */
const logFactorials = [0]
for (let n = 1; n <= 10_000; n++) logFactorials.push((logFactorials[n - 1] ?? 0) + Math.log(n))
const logChoose = (n: number, k: number) =>
  (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0)

/** The chance of `hits` in a sample of `n` of a population in which `bad` are bad. */
const chanceOf = (hits: number, n: number, population: number, bad: number): number =>
  hits > bad || n - hits > population - bad
    ? 0
    : Math.exp(logChoose(bad, hits) + logChoose(population - bad, n - hits) - logChoose(population, n))

interface Design {
  /** The transcripts of the report, the share that fails, and the labels of each stratum. */
  total: number
  failing: number
  each: number
}

/** The chance that the bounds hold if these shares of the failing and of the passing transcripts are bad. */
function coverage({ total, failing, each }: Design, badShares: readonly [failed: number, passed: number]): number {
  const totals = [Math.round(total * failing), total - Math.round(total * failing)] as const
  const bad = totals.map((of, at) => Math.round(of * (badShares[at] ?? 0)))
  const truth = ((bad[0] ?? 0) + (bad[1] ?? 0)) / total
  const [failed, passed] = totals.map((population, at) => {
    const n = Math.min(each, population)
    return Array.from({ length: n + 1 }, (_, hits) => ({
      ...wilson({ hits, n, population }),
      weight: population / total,
      chance: chanceOf(hits, n, population, bad[at] ?? 0),
    }))
  })
  let covered = 0
  for (const one of failed ?? [])
    for (const other of passed ?? []) {
      const { least, most } = sumOfShares([one, other])
      if (least - 1e-12 <= truth && truth <= most + 1e-12) covered += one.chance * other.chance
    }
  return covered
}

/** The designs of the guide: 30 or 50 labels a stratum, of 200 transcripts or more, of which 5 to 50 % fail. */
const designs = [200, 2000].flatMap((total) =>
  [0.05, 0.1, 0.2, 0.3, 0.5].flatMap((failing) => [30, 50].map((each) => ({ total, failing, each }))),
)

/** Counts are whole, so that the coverage of a single share is uneven: each band is one answer to how bad things are. */
const bands = [
  [0.01, 0.03],
  [0.03, 0.06],
  [0.06, 0.12],
  [0.12, 0.25],
] as const

/** The mean coverage of a design in a band. */
function meanCoverage(design: Design, [from, to]: readonly [number, number]): number {
  const steps = 6
  let sum = 0
  for (let a = 0; a < steps; a++)
    for (let b = 0; b < steps; b++)
      sum += coverage(design, [0.5 + (0.45 * (a + 0.5)) / steps, from + ((to - from) * (b + 0.5)) / steps])
  return sum / steps ** 2
}

const guide = readFileSync(new URL('../../../../docs/guides/labels.md', import.meta.url), 'utf8')

describe('the bounds of the bad share', () => {
  it('hold in 95 to 99 % of all samples of 30 and 30 or 50 and 50 transcripts', () => {
    const covered = designs
      .filter((_, at) => isLong || at % 3 === 0)
      .flatMap((design) => bands.map((band) => meanCoverage(design, band)))
    const [least, most] = [Math.min(...covered), Math.max(...covered)]
    expect(least).toBeGreaterThan(0.95)
    expect(most).toBeLessThan(0.99)
  })

  it.each([30, 50, 100])('are as wide with %i labels in each part as the guide says', (n) => {
    const sampled = [
      ...cases('failed', true, 0.8 * n),
      ...cases('failed', false, 0.2 * n),
      ...cases('passed', true, 0.1 * n),
      ...cases('passed', false, 0.9 * n),
    ]
    const { least, most } = ratesOf(sampled, { failed: 200, passed: 800 }).bad
    expect(guide).toMatch(
      new RegExp(`\\| ${n} and ${n} +\\| ${Math.round(least * 100)} to ${Math.round(most * 100)} % +\\|`),
    )
  })

  it('are far off for labels of failures alone, which the other labels correct', () => {
    // 50 of 1 000 fail, and all that fail are good; 15 % of the others are bad.
    const chosen = cases('failed', false, 50)
    const totals = { failed: 50, passed: 950 }
    expect(ratesOf(chosen, totals).bad.most).toBeLessThan(0.1)
    const sampled = [...cases('failed', false, 30), ...cases('passed', true, 5), ...cases('passed', false, 25)]
    const { bad } = ratesOf(sampled, totals)
    expect(bad.share).toBeCloseTo((0.95 * 5) / 30)
    expect(bad.least < 0.1425 && 0.1425 < bad.most).toBe(true)
  })

  it('are the share itself if all transcripts are labelled', () => {
    const all = [
      ...cases('failed', true, 8),
      ...cases('failed', false, 2),
      ...cases('passed', true, 1),
      ...cases('passed', false, 9),
    ]
    expect(ratesOf(all, { failed: 10, passed: 10 }).bad).toEqual({ share: 0.45, least: 0.45, most: 0.45 })
  })

  it('lie around the share, within 0 and 1', () => {
    const counts = fc
      .record({ n: fc.integer({ min: 1, max: 60 }), more: fc.nat(500) })
      .chain(({ n, more }) => fc.record({ hits: fc.nat(n), n: fc.constant(n), population: fc.constant(n + more) }))
    fc.assert(
      fc.property(counts, (sampled) => {
        const { share, least, most } = wilson(sampled)
        expect(least).toBeGreaterThanOrEqual(0)
        expect(most).toBeLessThanOrEqual(1)
        expect(least - 1e-12 <= share && share <= most + 1e-12).toBe(true)
      }),
    )
  })
})

describe('the rates of an annotator', () => {
  const totals = { failed: 100, passed: 900 }

  it('count each label as often as the transcripts that it stands for', () => {
    const sampled = [
      ...cases('failed', true, 24),
      ...cases('failed', false, 6),
      ...cases('passed', true, 3),
      ...cases('passed', false, 27),
    ]
    const { true_positive, true_negative, bad, tells_apart, kappa } = ratesOf(sampled, totals)
    // 80 of 100 that fail are bad, and 90 of 900 that pass.
    expect(bad.share).toBeCloseTo(0.17)
    expect(true_positive).toBeCloseTo(80 / 170)
    expect(true_negative).toBeCloseTo(810 / 830)
    expect(kappa).toBeCloseTo((0.89 - (0.17 * 0.1 + 0.83 * 0.9)) / (1 - (0.17 * 0.1 + 0.83 * 0.9)))
    expect(tells_apart).toBe(true)
  })

  it('are those of another annotator over the same labels', () => {
    const sampled = [
      ...cases('failed', true, 24, true),
      ...cases('failed', false, 6, false),
      ...cases('passed', true, 3, true),
      ...cases('passed', false, 27, false),
    ]
    expect(ratesOf(sampled, totals)).toMatchObject({ true_positive: 1, true_negative: 1, kappa: 1, tells_apart: true })
    expect(ratesOf(sampled, totals).bad.share).toBeCloseTo(0.17)
  })

  it('say that an annotator does not tell good from bad if its lower bound does not exclude it', () => {
    const of = (bad: number) => [
      ...cases('failed', true, bad),
      ...cases('failed', false, 30 - bad),
      ...cases('passed', true, 3),
      ...cases('passed', false, 27),
    ]
    expect([ratesOf(of(3), totals).tells_apart, ratesOf(of(15), totals).tells_apart]).toEqual([false, true])
  })

  it('are wrong about an annotator that cannot tell in at most 5 % of all samples', () => {
    for (const share of [0.05, 0.1, 0.3, 0.5]) {
      let wrong = 0
      for (let a = 0; a <= 30; a++)
        for (let b = 0; b <= 30; b++) {
          const sampled = [
            ...cases('failed', true, a),
            ...cases('failed', false, 30 - a),
            ...cases('passed', true, b),
            ...cases('passed', false, 30 - b),
          ]
          if (ratesOf(sampled, { failed: 1e5, passed: 9e5 }).tells_apart)
            wrong += binomial(a, 30, share) * binomial(b, 30, share)
        }
      expect(wrong, `${share}`).toBeLessThan(0.05)
    }
  })

  it('are unknown for transcripts that the annotator did not judge, and for one verdict alone', () => {
    const unjudged = cases('failed', true, 30).map((each): LabelledCase => ({ ...each, fails: undefined }))
    expect(ratesOf(unjudged, { failed: 100, passed: 0 })).toMatchObject({
      ...{ true_positive: null, true_negative: null, kappa: null, tells_apart: null },
    })
  })
})

import type { Stratum } from './label-file.js'

/**
 * The quantile of the normal distribution for the bounds. A little over 1.96, because counts of 30 are coarse: with it, the
 * bounds of the bad share hold in 95 to 99 % of all samples, by enumeration of the designs that the guide recommends.
 */
const quantile = 2.1

/** A share with its bounds. */
export interface Bounded {
  /** From 0 to 1. */
  share: number
  least: number
  most: number
}

/** The hits among a random sample of `n` of `population` transcripts. */
export interface Sampled {
  hits: number
  n: number
  population: number
}

/** Wilson's bounds for a share of a finite population, of which a sample is a part: a whole population leaves no doubt. */
export function wilson({ hits, n, population }: Sampled): Bounded {
  const share = hits / n
  if (n >= population) return { share, least: share, most: share }
  const size = (n * (population - 1)) / (population - n)
  const squared = quantile * quantile
  const center = (share + squared / (2 * size)) / (1 + squared / size)
  const half = (quantile * Math.sqrt((share * (1 - share)) / size + squared / (4 * size * size))) / (1 + squared / size)
  return { share, least: Math.max(0, center - half), most: Math.min(1, center + half) }
}

/**
 * A weighted sum of shares, some of which may be subtracted, with its bounds: the distances of the parts to their own bounds,
 * added as squares (method of variance estimates recovery; Zou and Donner, Statistics in Medicine 27, 2008).
 */
export function sumOfShares(parts: readonly (Bounded & { weight: number })[]): Bounded {
  let [share, below, above] = [0, 0, 0]
  for (const { weight, ...part } of parts) {
    const [down, up] = [part.share - part.least, part.most - part.share].map((distance) => (weight * distance) ** 2)
    share += weight * part.share
    below += (weight > 0 ? down : up) ?? 0
    above += (weight > 0 ? up : down) ?? 0
  }
  return { share, least: share - Math.sqrt(below), most: share + Math.sqrt(above) }
}

/** A labelled transcript of a sample: where it was drawn from, and the verdict of the annotator in question. */
export interface LabelledCase {
  stratum: Stratum
  isBad: boolean
  /** Undefined if the annotator did not judge it. */
  fails: boolean | undefined
}

/** The rates of an annotator by the labels of a sample. Null where nothing was labelled that would give one. */
export interface LabelRates {
  /** The share of bad transcripts in all of the sampled report. */
  bad: Bounded
  true_positive: number | null
  true_negative: number | null
  /** Cohen's κ of the annotator and the labels. */
  kappa: number | null
  /** True if the lower bound of TPR + TNR − 1 is above 0. */
  tells_apart: boolean | null
}

/** `totals`: the number of transcripts of each verdict in the sampled report. Each stratum that is not empty needs a labelled transcript. */
export function ratesOf(cases: readonly LabelledCase[], totals: Readonly<Record<Stratum, number>>): LabelRates {
  const all = totals.failed + totals.passed
  const inStratum = (stratum: Stratum) => cases.filter((each) => each.stratum === stratum)
  const weight = { failed: 0, passed: 0 }
  const parts = (['failed', 'passed'] as const).flatMap((stratum) => {
    const of = inStratum(stratum)
    if (of.length === 0) return []
    weight[stratum] = totals[stratum] / of.length
    const sampled = { hits: of.filter(({ isBad }) => isBad).length, n: of.length, population: totals[stratum] }
    return [{ ...wilson(sampled), weight: totals[stratum] / all }]
  })
  const weighed = (isOf: (each: LabelledCase) => boolean) =>
    cases.reduce((sum, each) => sum + (isOf(each) ? weight[each.stratum] : 0), 0)
  const table = {
    badFails: weighed(({ isBad, fails }) => isBad && fails === true),
    badPasses: weighed(({ isBad, fails }) => isBad && fails === false),
    goodFails: weighed(({ isBad, fails }) => !isBad && fails === true),
    goodPasses: weighed(({ isBad, fails }) => !isBad && fails === false),
  }
  const shareOf = (part: number, other: number) => (part + other > 0 ? part / (part + other) : null)
  return {
    bad: clipped(sumOfShares(parts)),
    true_positive: shareOf(table.badFails, table.badPasses),
    true_negative: shareOf(table.goodPasses, table.goodFails),
    kappa: kappaOf(table),
    tells_apart: tellsApart(cases, { weight, totals }),
  }
}

const clipped = ({ share, least, most }: Bounded): Bounded => ({
  share,
  least: Math.max(0, least),
  most: Math.min(1, most),
})

function kappaOf(table: Record<'badFails' | 'badPasses' | 'goodFails' | 'goodPasses', number>): number | null {
  const { badFails, badPasses, goodFails, goodPasses } = table
  const total = badFails + badPasses + goodFails + goodPasses
  const chance =
    ((badFails + badPasses) * (badFails + goodFails) + (goodFails + goodPasses) * (badPasses + goodPasses)) / total ** 2
  return total > 0 && chance < 1 ? ((badFails + goodPasses) / total - chance) / (1 - chance) : null
}

/**
 * TPR + TNR − 1 has the sign of P(bad | fails) − P(bad | passes), whose lower bound decides. Each of the two is a sum over the
 * strata, in the proportion in which the annotator's verdict is found there.
 */
function tellsApart(
  cases: readonly LabelledCase[],
  { weight, totals }: { weight: Record<Stratum, number>; totals: Readonly<Record<Stratum, number>> },
): boolean | null {
  const badAmong = (verdict: boolean) => {
    const cells = (['failed', 'passed'] as const).map((stratum) => {
      const of = cases.filter((each) => each.stratum === stratum && each.fails === verdict)
      return { of, stratum, size: of.length * weight[stratum] }
    })
    const all = cells.reduce((sum, { size }) => sum + size, 0)
    return cells.flatMap(({ of, stratum, size }) => {
      if (of.length === 0) return []
      const population = Math.max(of.length, Math.min(totals[stratum], size))
      const sampled = { hits: of.filter(({ isBad }) => isBad).length, n: of.length, population }
      return [{ ...wilson(sampled), weight: size / all }]
    })
  }
  const [failing, passing] = [badAmong(true), badAmong(false)]
  if (failing.length === 0 || passing.length === 0) return null
  return sumOfShares([...failing, ...passing.map((part) => ({ ...part, weight: -part.weight }))]).least > 0
}

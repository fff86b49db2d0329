import { isAtLeast, isOnScale } from '../policy/index.js'
import { isMore, type Policy, type Rate, type RateReport, type ReportCase } from '../report/index.js'
import { pick } from '../values.js'
import { mayBelong, sliced } from './tags.js'

/** Judge every rate of a policy over the judged transcripts with an outcome on the scale, for each value of its tag. */
export function judgeRates({ rates, confidence }: Policy, cases: readonly ReportCase[]): RateReport[] {
  return rates.flatMap((rate) => {
    const { by } = rate
    if (by === undefined) return judgeRate(rate, cases, confidence)
    // A file that could not be read may belong to any slice.
    const unread = cases.filter((each) => mayBelong(each, by))
    const read = cases.filter((each) => !mayBelong(each, by))
    return sliced(read, by).map(([slice, of]) => {
      const judged = judgeRate(rate, [...of, ...unread], confidence)
      // A slice of indeterminate transcripts alone has nothing to limit; the policy decides about these.
      const isEmpty = of.every(({ outcome, gap }) => gap === null && !isOnScale(outcome ?? ''))
      return { ...judged, ...(isEmpty && { verdict: 'within_limit' as const }), slice }
    })
  })
}

function judgeRate(rate: Rate, cases: readonly ReportCase[], confidence: number | undefined): RateReport {
  const graded = cases.filter(({ outcome, gap }) => outcome !== null && isOnScale(outcome) && gap === null)
  const missing = cases.filter(({ outcome, gap }) => gap !== null && (outcome === null || isOnScale(outcome))).length
  const hitCases = graded.filter((each) => isCaseHit(rate, each))
  const [hits, n] = [hitCases.length, graded.length]
  const verdict = rateVerdict({ hits, n, missing }, rate.max, confidence)
  const named = hitCases.map((each) =>
    pick(each, ['path', 'record', 'part', 'name', 'external_id', 'sha256', 'occurrence']),
  )
  return {
    ...rate,
    hits,
    n,
    verdict,
    ...againstBaseline(rate, graded),
    culprits: verdict === 'exceeded' ? named : [],
  }
}

export const isHit = ({ of }: Rate, outcome: string, hasFired: (signal: string) => boolean): boolean =>
  'signal' in of ? hasFired(of.signal) : isAtLeast(outcome, of.outcome)

const isCaseHit = (rate: Rate, { outcome, signals }: ReportCase): boolean =>
  isHit(rate, outcome ?? '', (signal) => signals.some(({ key }) => key === signal))

/** The share of the transcripts that the baseline has too, then and now. */
function againstBaseline(rate: Rate, graded: readonly ReportCase[]): Pick<RateReport, 'before' | 'common'> {
  const common = graded.filter(
    ({ before, before_signals: signals }) =>
      before !== null && isOnScale(before) && ('outcome' in rate.of || signals !== null),
  )
  const n = common.length
  if (n === 0) return { before: null, common: null }
  const hitsBefore = common.filter(({ before, before_signals: signals }) =>
    isHit(rate, before ?? '', (key) => signals?.includes(key) === true),
  ).length
  return { before: hitsBefore / n, common: { hits: common.filter((each) => isCaseHit(rate, each)).length, n } }
}

/**
 * Compare a share with its limit. With `confidence` the bounds of Wilson's score interval decide instead of the observed
 * share. A rate is exceeded only if it still would be with no hit among the `missing` transcripts.
 */
export function rateVerdict(
  { hits, n, missing }: { hits: number; n: number; missing: number },
  max: number,
  confidence: number | undefined,
): RateReport['verdict'] {
  if (n === 0) return 'cannot tell'
  const bounds = (of: number) => (confidence === undefined ? [hits / of, hits / of] : wilson(hits, of, confidence))
  const [low = 0] = bounds(n + missing)
  const [, high = 1] = bounds(n)
  if (isMore(low, max)) return 'exceeded'
  return isMore(high, max) ? 'cannot tell' : 'within_limit'
}

/** The one-sided bounds of a share by Wilson's score, each with this confidence. */
export function wilson(hits: number, n: number, confidence: number): [low: number, high: number] {
  const z = normalQuantile(confidence)
  const p = hits / n
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  const middle = p + (z * z) / (2 * n)
  const whole = 1 + (z * z) / n
  return [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)]
}

/** The quantile of the standard normal distribution, by bisection. */
function normalQuantile(probability: number): number {
  let [low, high] = [-8, 8]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normalDistribution(middle) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Abramowitz and Stegun 7.1.26; the error is below 1.5e-7. */
function normalDistribution(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2)
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = (poly * Math.exp((-x * x) / 2)) / 2
  return x >= 0 ? 1 - tail : tail
}

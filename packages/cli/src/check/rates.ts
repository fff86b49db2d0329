import type { CheckReport, Policy, Rate, RateReport, ReportCase } from '@svc/report-viewer'
import { exit } from '../exit.js'
import { isAtLeast } from './policy/index.js'

/**
 * Tell whether a rate fails the check: it is exceeded, and against a baseline it grew among the transcripts that both runs have,
 * or is exceeded by the others alone.
 */
export function failsCheck({ verdict, hits, n, max, before, common }: Omit<RateReport, 'culprits'>): boolean {
  if (verdict !== 'exceeded') return false
  if (before === null || common === null || isMore(common.hits / common.n, before)) return true
  const others = n - common.n
  return others > 0 && isMore((hits - common.hits) / others, max)
}

/** A failing transcript or rate goes before what is missing, and what may close by itself before other gaps. */
export function verdictOf(
  cases: readonly ReportCase[],
  rates: readonly RateReport[],
  judged: number,
  { minJudged }: Pick<Policy, 'minJudged'>,
  { gateExit, stoppedBy }: { gateExit: number; stoppedBy: number | undefined },
): Pick<CheckReport, 'verdict' | 'exit'> {
  if (cases.some(({ result }) => result === 'failed') || rates.some(failsCheck))
    return { verdict: 'failed', exit: stoppedBy ?? gateExit }
  const isVague = rates.some(({ verdict }) => verdict === 'cannot tell')
  if (stoppedBy === undefined && isEnoughJudged({ judged, total: cases.length }, minJudged) && !isVague)
    return { verdict: 'passed', exit: exit.ok }
  return { verdict: 'not judged', exit: stoppedBy ?? (areAllTemporary(cases) ? exit.temporary : exit.notJudged) }
}

/** Whether so many are judged as a policy wants; none at all never are. */
export const isEnoughJudged = ({ judged, total }: Pick<CheckReport, 'judged' | 'total'>, minJudged: number): boolean =>
  judged > 0 && !isMore(minJudged, judged / total)

/** Whether running again may be all that it takes. */
export function areAllTemporary(cases: readonly Pick<ReportCase, 'gap'>[]): boolean {
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  return gaps.length > 0 && gaps.every(({ temporary }) => temporary)
}

/** Whether a transcript is of the kind that a rate is about. */
export const isHit = ({ of }: Rate, outcome: string, hasFired: (signal: string) => boolean): boolean =>
  'signal' in of ? hasFired(of.signal) : isAtLeast(outcome, of.outcome)

/** Whether a share is larger than another, and not by how a computer writes down a part of a hundred alone. */
const isMore = (share: number, than: number): boolean => share > than + 1e-9

/**
 * Compares an observed share with the largest that is allowed. Without `confidence` the share itself counts; with it the
 * bounds of the share that would be found among all such transcripts, which few of them leave wide. It is exceeded only
 * where it still would be if none of the `missing` were a hit.
 */
export function rateVerdict(
  { hits, n, missing }: { hits: number; n: number; missing: number },
  max: number,
  confidence: number | undefined,
): RateReport['verdict'] {
  if (n === 0) return 'cannot tell'
  const low = (of: number) => (confidence === undefined ? hits / of : wilson(hits, of, confidence)[0])
  if (isMore(low(n + missing), max)) return 'exceeded'
  const high = confidence === undefined ? hits / n : wilson(hits, n, confidence)[1]
  return isMore(high, max) ? 'cannot tell' : 'kept'
}

/** The one-sided bounds of a share by Wilson's score, each held with this confidence. */
export function wilson(hits: number, n: number, confidence: number): [low: number, high: number] {
  const z = quantile(confidence)
  const p = hits / n
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  const middle = p + (z * z) / (2 * n)
  const whole = 1 + (z * z) / n
  return [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)]
}

/** The value below which a standard normal variable lies with this probability, by bisection of its distribution. */
function quantile(probability: number): number {
  let [low, high] = [-8, 8]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normal(middle) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Abramowitz and Stegun 7.1.26; the error is below 1.5e-7. */
function normal(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2)
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = (poly * Math.exp((-x * x) / 2)) / 2
  return x >= 0 ? 1 - tail : tail
}

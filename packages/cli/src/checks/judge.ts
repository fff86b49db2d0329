import type { Annotation } from '@svc/client'
import { type ExitCode, exit } from '../exit.js'
import { isAtLeast, isOnScale, type Policy, type Rate, type Rules } from './policy.js'
import { type RateVerdict, rateVerdict } from './rates.js'

/** A transcript with its annotation, or with what kept it from being annotated, as an exit code and in words. */
export type Case<T> = { subject: T } & ({ annotation: Annotation } | { code: ExitCode; detail: string })

/** One rule that a transcript breaks. */
export type Reason =
  | { rule: 'outcome'; outcome: string }
  | { rule: 'forbidden' | 'not allowed' | 'required'; signal: string }

/** A transcript that fails the check, and why. */
export interface Finding<T> {
  subject: T
  annotation: Annotation
  reasons: Reason[]
}

/** Why a transcript could not be judged. */
export interface Gap<T> {
  subject: T
  why: 'indeterminate' | 'unknown outcome' | 'not annotated'
  /** What kept the transcript from being annotated. */
  detail?: string
  /** Running again may close it. */
  temporary: boolean
}

/** How a rate was kept. */
export interface RateReport extends Rate {
  hits: number
  /** Transcripts with an outcome on the scale. */
  n: number
  verdict: RateVerdict
}

export interface Report<T> {
  verdict: 'passed' | 'failed' | 'not judged'
  exit: ExitCode
  findings: Finding<T>[]
  gaps: Gap<T>[]
  /** Indeterminate, and not held against them. */
  warned: T[]
  rates: RateReport[]
  outcomes: Record<string, number>
  judged: number
  total: number
}

/**
 * Judges annotated transcripts: a failing one, or a rate that is exceeded, fails the check even when others are missing; a
 * gap that may close by itself says to run again; any other gap, and a rate that cannot be told, says that the check could
 * not judge. `rulesFor` gives the rules of each.
 */
export function judge<T>(
  cases: readonly Case<T>[],
  policy: Policy,
  rulesFor: (subject: T) => Rules = () => policy,
): Report<T> {
  const findings: Finding<T>[] = []
  const gaps: Gap<T>[] = []
  const warned: T[] = []
  const outcomes: Record<string, number> = {}
  const graded: Annotation[] = []
  for (const each of cases) {
    const { subject } = each
    if (!('annotation' in each)) {
      gaps.push({ subject, why: 'not annotated', detail: each.detail, temporary: each.code === exit.temporary })
      continue
    }
    const { annotation } = each
    const outcome: string = annotation.outcome
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    const rules = rulesFor(subject)
    const reasons = reasonsOf(annotation, rules)
    if (isOnScale(outcome)) graded.push(annotation)
    if (reasons.length > 0) findings.push({ subject, annotation, reasons })
    else if (outcome === 'indeterminate' && rules.indeterminate === 'warn') warned.push(subject)
    else if (outcome === 'indeterminate' && rules.indeterminate === 'unjudged')
      gaps.push({ subject, why: 'indeterminate', temporary: false })
    else if (outcome !== 'indeterminate' && !isOnScale(outcome))
      gaps.push({ subject, why: 'unknown outcome', temporary: false })
  }
  const rates = policy.rates.map((rate) => rateOf(rate, graded, policy.confidence))
  const judged = cases.length - gaps.length
  const tally = { findings, gaps, warned, rates, outcomes, judged, total: cases.length }
  const is = (verdict: RateVerdict) => rates.some((rate) => rate.verdict === verdict)
  if (findings.length > 0 || is('exceeded')) return { verdict: 'failed', exit: exit.gateFailed, ...tally }
  const isEnough = judged >= policy.minJudged * cases.length
  if (isEnough && !is('cannot tell')) return { verdict: 'passed', exit: exit.ok, ...tally }
  const mayClose = gaps.length > 0 && gaps.every((gap) => gap.temporary)
  return { verdict: 'not judged', exit: mayClose ? exit.temporary : exit.notJudged, ...tally }
}

/** Every rule that an annotation breaks. */
function reasonsOf({ outcome, signals }: Annotation, rules: Rules): Reason[] {
  const fired = Object.keys(signals)
  const isBad = rules.failOn !== undefined && isAtLeast(outcome, rules.failOn)
  const isVague = outcome === 'indeterminate' && rules.indeterminate === 'fail'
  return [
    ...(isBad || isVague ? [{ rule: 'outcome' as const, outcome }] : []),
    ...fired
      .filter((signal) => rules.forbidden.includes(signal))
      .map((signal) => ({ rule: 'forbidden' as const, signal })),
    ...fired
      .filter((signal) => rules.allowed?.includes(signal) === false)
      .map((signal) => ({ rule: 'not allowed' as const, signal })),
    ...rules.required
      .filter((signal) => !Object.hasOwn(signals, signal))
      .map((signal) => ({ rule: 'required' as const, signal })),
  ]
}

function rateOf(rate: Rate, graded: readonly Annotation[], confidence: number | undefined): RateReport {
  const { of, max } = rate
  const isHit = (each: Annotation) =>
    'signal' in of ? Object.hasOwn(each.signals, of.signal) : isAtLeast(each.outcome, of.outcome)
  const hits = graded.filter(isHit).length
  return { ...rate, hits, n: graded.length, verdict: rateVerdict(hits, graded.length, max, confidence) }
}

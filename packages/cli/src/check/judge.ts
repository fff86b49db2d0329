import type { Annotation } from '@svc/client'
import { type Change, type Gap, type Reason, type Result, type Rules, scale } from '@svc/report-viewer'
import { type ExitCode, exit } from '../exit.js'
import { isAtLeast, isOnScale } from './policy/index.js'

/** What a baseline says of a transcript. */
export interface BaselineResult {
  outcome: string
  /** Keys of the signals that fired. */
  signals: readonly string[]
}

/** How one transcript did. */
export interface Judgement {
  result: Result
  reasons: Reason[]
  gap: Gap | null
  change: Change
}

/** What of an annotation is judged. */
export type Answer = Pick<Annotation, 'outcome' | 'signals'>

/**
 * Judges an annotation. A broken rule that the baseline has fails nothing; without a baseline, as for a transcript that it
 * does not have, `before` is undefined.
 */
export function judge(annotation: Answer, rules: Rules, before: BaselineResult | undefined): Judgement {
  const outcome: string = annotation.outcome
  const reasons = reasonsOf(annotation, rules, before)
  const change = changeOf(outcome, reasons, before)
  const judged = (result: Result, why?: Gap['why']): Judgement => {
    const gap = why === undefined ? null : { why, detail: null, temporary: false }
    return { result, reasons, gap, change }
  }
  if (reasons.some(({ known }) => !known)) return judged('failed')
  if (outcome === 'indeterminate') {
    if (rules.indeterminate === 'unjudged') return judged('not judged', 'indeterminate')
    if (reasons.length === 0 && rules.indeterminate === 'warn') return judged('warned')
    if (reasons.length === 0 && rules.indeterminate === 'ignore') return judged('ignored')
  } else if (!isOnScale(outcome)) return judged('not judged', 'unknown outcome')
  return judged(reasons.length > 0 ? 'known' : 'passed')
}

/** The gap of a transcript that was not annotated: for what code, and in what words. */
export const gapOf = (code: ExitCode, detail: string): Gap => ({
  why: 'not annotated',
  detail,
  temporary: code === exit.temporary,
})

/** Every rule that an annotation breaks. */
function reasonsOf({ outcome, signals }: Answer, rules: Rules, before: BaselineResult | undefined): Reason[] {
  const fired = Object.keys(signals)
  const isBad = rules.failOn !== 'none' && isAtLeast(outcome, rules.failOn)
  const isVague = outcome === 'indeterminate' && rules.indeterminate === 'fail'
  // Nothing is known of a transcript whose outcome got worse.
  const accepted = before && isNoWorse(outcome, before.outcome) ? before : undefined
  const of = (rule: 'forbidden' | 'not allowed') => (signal: string) => {
    const known = accepted?.signals.includes(signal) === true
    return { rule, signal, known }
  }
  return [
    ...(isBad || isVague ? [{ rule: 'outcome' as const, outcome, known: accepted !== undefined }] : []),
    ...fired.filter((signal) => rules.forbidden.includes(signal)).map(of('forbidden')),
    ...fired.filter((signal) => rules.allowed?.includes(signal) === false).map(of('not allowed')),
    ...rules.required
      .filter((signal) => !Object.hasOwn(signals, signal))
      .map((signal) => ({ rule: 'required' as const, signal, known: accepted?.signals.includes(signal) === false })),
  ]
}

const rank = (outcome: string): number => (scale as readonly string[]).indexOf(outcome)

const isNoWorse = (outcome: string, before: string): boolean =>
  outcome === before || (isOnScale(outcome) && isOnScale(before) && rank(outcome) <= rank(before))

function changeOf(outcome: string, reasons: readonly Reason[], before: BaselineResult | undefined): Change {
  if (!before) return 'new'
  const step = isOnScale(outcome) && isOnScale(before.outcome) ? rank(outcome) - rank(before.outcome) : 0
  if (step > 0 || reasons.some(({ known }) => !known)) return 'worse'
  return step < 0 ? 'better' : 'same'
}

import type { Annotation } from '@svc/client'
import { type BaselineResult, waiverOf } from '../baseline/index.js'
import { isAtLeast, isOnScale, rankOf } from '../policy/index.js'
import type { Change, Gap, Reason, Result, Rules } from '../report/index.js'
import { type CustomResult, nothingFound } from '../rules/index.js'

export type Judgement = ReturnType<typeof judge>

/**
 * Judge an annotation, and what the functions of the policy found. A broken rule that the baseline has too fails nothing;
 * `before` is undefined if there is none.
 */
export function judge(
  annotation: Pick<Annotation, 'outcome' | 'signals'>,
  rules: Rules,
  before: BaselineResult | undefined,
  custom: CustomResult = nothingFound,
) {
  const outcome: string = annotation.outcome
  const reasons = brokenRules(annotation, rules, before, custom)
  const change = changeOf(outcome, reasons, before)
  const judged = (result: Result, why?: Gap['why'], detail: string | null = null) => {
    const gap: Gap | null = why === undefined ? null : { why, detail, temporary: false }
    return { result, reasons, gap, change }
  }
  if (custom.failure !== undefined) return judged('not judged', 'rule failed', custom.failure)
  if (reasons.some(({ known }) => !known)) return judged('failed')
  if (outcome === 'indeterminate') {
    if (rules.indeterminate === 'unjudged') return judged('not judged', 'indeterminate')
    if (reasons.length === 0 && rules.indeterminate === 'warn') return judged('warned')
    if (reasons.length === 0 && rules.indeterminate === 'ignore') return judged('ignored')
  } else if (!isOnScale(outcome)) return judged('not judged', 'unknown outcome')
  return judged(reasons.length > 0 ? 'known' : 'passed')
}

export const notAnnotated = (detail: string, temporary = false): Gap => ({ why: 'not annotated', detail, temporary })

function brokenRules(
  { outcome, signals }: Pick<Annotation, 'outcome' | 'signals'>,
  rules: Rules,
  before: BaselineResult | undefined,
  { findings }: CustomResult,
): Reason[] {
  const fired = Object.keys(signals)
  const isBad = rules.failOn !== 'none' && isAtLeast(outcome, rules.failOn)
  const isIndeterminate = outcome === 'indeterminate' && rules.indeterminate === 'fail'
  const breaking = (rule: 'forbidden' | 'not allowed' | 'required' | 'custom') => (signal: string) => ({
    rule,
    signal,
    ...waiverOf({ rule, signal }, outcome, before),
  })
  return [
    ...(isBad || isIndeterminate
      ? [{ rule: 'outcome' as const, outcome, ...waiverOf({ rule: 'outcome' }, outcome, before) }]
      : []),
    ...fired.filter((signal) => rules.forbidden.includes(signal)).map(breaking('forbidden')),
    ...fired.filter((signal) => rules.allowed?.includes(signal) === false).map(breaking('not allowed')),
    ...rules.required.filter((signal) => !Object.hasOwn(signals, signal)).map(breaking('required')),
    ...[...new Set(findings.map(({ rule }) => rule))].map(breaking('custom')),
  ]
}

function changeOf(outcome: string, reasons: readonly Reason[], before: BaselineResult | undefined): Change {
  if (!before) return 'new'
  const step = isOnScale(outcome) && isOnScale(before.outcome) ? rankOf(outcome) - rankOf(before.outcome) : 0
  if (step > 0 || reasons.some(({ known }) => !known)) return 'worse'
  return step < 0 ? 'better' : 'same'
}

import { CheckError } from '../check-error.js'
import type { CheckReport, NamedReport, ReportCase } from '../report/index.js'
import { comparisonOfPairs, unusable } from './compare.js'
import { isJudged } from './pairs.js'

/**
 * For each transcript of NEW: if another judge alone made it fail. Undefined for other content, and for a transcript that OLD
 * has not judged.
 *
 * @throws {CheckError} with the code `not_comparable` if a change cannot be told by these reports
 */
export function judgeChanges(old: NamedReport, now: CheckReport): (each: ReportCase) => boolean | undefined {
  const { paired, distrust } = comparisonOfPairs(old, { from: 'this check', report: now })
  if (distrust.length > 0) throw notTold(old, distrust)
  const changes = new Map<ReportCase, boolean>()
  for (const pair of paired.all)
    if (isJudged(pair) && paired.causeOf(pair) === 'judge') changes.set(pair.new, !pair.failed && pair.fails)
  return (each) => changes.get(each)
}

/** @throws {CheckError} for a report that cannot show what another judge changes, whatever the other one is */
export function refuseUnusable(old: NamedReport): void {
  const reasons = unusable('OLD', old.report)
  if (reasons.length > 0) throw notTold(old, reasons)
}

const notTold = ({ from }: NamedReport, details: readonly string[]): CheckError =>
  new CheckError('not_comparable', `${from} cannot show what the annotator changed.`, {
    details,
    hint: 'give the report of a complete check with the version of the baseline',
  })

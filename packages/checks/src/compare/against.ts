import { canonicalJson } from '@svc/text'
import { CheckError } from '../check-error.js'
import { gateExits, stoppedExits } from '../judge/index.js'
import { type CheckReport, isPart, type NamedReport } from '../report/index.js'
import { digestOf } from '../values.js'
import { comparisonOf } from './compare.js'

/** A report that a check is compared with. */
export interface Against {
  /** Its file or another name, as messages show it. */
  from: string
  /** Undefined if there is none yet. */
  report?: CheckReport | undefined
}

const words = { passed: 'passed', failed: 'failed', 'not judged': 'could not judge' }

/** A report with its comparison, which can make it fail. That of a shard is compared by the merge. */
export function comparedWith(report: CheckReport, { from, report: old }: Against, failedExit: number): CheckReport {
  const sha256 = old ? digestOf(canonicalJson(old)) : null
  if (!old || isPart(report)) return { ...report, reference: { from, sha256, comparison: null } }
  const comparison = comparisonOf({ from, report: old }, { from: 'this check', report })
  const end = endOf(report, comparison.exit, failedExit)
  const parts = [comparison.line, report.line.replace(/^[^:]*: /, '')]
  // A check that fails by itself says that first.
  const isOwn = report.verdict !== 'passed' && report.verdict === end.verdict && comparison.exit !== gateExits.failed
  const line = `${words[end.verdict]}: ${(isOwn ? parts.reverse() : parts).join('; ')}`
  return { ...report, ...end, line, reference: { from, sha256, comparison } }
}

function endOf(
  { verdict, exit }: CheckReport,
  compared: number,
  failedExit: number,
): Pick<CheckReport, 'verdict' | 'exit'> {
  if (verdict === 'failed' || stoppedExits.includes(exit) || compared === gateExits.passed) return { verdict, exit }
  if (compared === gateExits.failed) return { verdict: 'failed', exit: failedExit }
  const isTemporary = compared === gateExits.temporary && exit !== gateExits.notJudged
  return { verdict: 'not judged', exit: isTemporary ? gateExits.temporary : gateExits.notJudged }
}

/** @throws {CheckError} unless the reports were checked against this report, or against none */
export function refuseOtherReference(parts: readonly NamedReport[], against: Against | undefined): void {
  const reference = parts.flatMap(({ report }) => report.reference ?? [])[0]
  if (!reference || reference.sha256 === (against?.report ? digestOf(canonicalJson(against.report)) : null)) return
  throw new CheckError('not_comparable', `The reports were checked against ${reference.from}.`, {
    hint: 'give that report: `svc report merge --against FILE`',
  })
}

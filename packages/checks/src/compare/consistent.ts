import { count } from '@svc/text'
import { CheckError } from '../check-error.js'
import { gateExits } from '../judge/index.js'
import {
  type CheckReport,
  failsCheck,
  isEnoughJudged,
  type NamedReport,
  neededShare,
  type ReportCase,
  results,
} from '../report/index.js'
import { tallyOf } from '../values.js'
import { endedEarly } from './read-report.js'

/**
 * Refuse reports whose counts or verdict do not follow from their cases, because a merge counts the cases.
 *
 * @throws {CheckError} with the code `contradictory_report` and the name of each such report
 */
export function refuseContradictory(parts: readonly NamedReport[]): void {
  for (const { from, report } of parts) if (report.error) throw endedEarly(from, report.error)
  refuse(parts.flatMap(({ from, report }) => contradictionsOf(report).map((what) => `${from}: ${what}`)))
}

/**
 * Refuse the reports of all shards if they hold more or fewer transcripts than these say.
 *
 * @throws {CheckError} with the code `contradictory_report`
 */
export function refuseOtherTotal(parts: readonly NamedReport[], cases: readonly ReportCase[]): void {
  const totals = parts.flatMap(({ from, report: { shard } }) =>
    shard?.total === undefined ? [] : [[from, shard.total]],
  )
  refuse(
    totals
      .filter(([, total]) => total !== cases.length)
      .map(([from, total]) => `${from}: all shards hold ${count(Number(total), 'transcript')}, found ${cases.length}`),
  )
}

function refuse(details: string[]): void {
  if (details.length === 0) return
  throw new CheckError('contradictory_report', 'The reports contradict themselves.', {
    details,
    hint: 'give the unchanged reports of svc check, and run the checks of these again',
  })
}

function contradictionsOf(report: CheckReport): string[] {
  const { cases, total, judged, results: counts, verdict, exit, shard } = report
  const tally = tallyOf(
    results,
    cases.map(({ result }) => result),
  )
  const wrong = cases.filter((each) => !isConsistent(each)).length
  const expected = verdictsOf(report)
  return [
    ...(total === cases.length ? [] : [`total is ${total}, but there are ${count(cases.length, 'case')}`]),
    ...(judged === cases.length - tally['not judged']
      ? []
      : [`judged is ${judged}, but ${cases.length - tally['not judged']} are`]),
    ...results.flatMap((each) =>
      counts[each] === tally[each] ? [] : [`results has ${counts[each]} ${each}, but ${tally[each]} are`],
    ),
    ...(wrong === 0 ? [] : [`the result of ${count(wrong, 'case')} does not follow from its reasons`]),
    ...(shard?.total === undefined || shard.total >= cases.length
      ? []
      : [`all shards hold ${count(shard.total, 'transcript')}, but this one has ${cases.length}`]),
    ...(shard === undefined || shard.numbers.every((number) => number <= shard.count)
      ? []
      : [`it is shard ${shard.numbers.join(', ')} of ${shard.count}`]),
    ...(expected.includes(verdict) ? [] : [`the verdict is ${verdict}, but its cases give ${expected.join(' or ')}`]),
    ...((exit === 0) === (verdict === 'passed') || verdict === 'failed'
      ? []
      : [`the exit code of ${verdict} is ${exit}`]),
  ]
}

const isConsistent = ({ result, gap, reasons }: ReportCase): boolean =>
  (result === 'not judged') === (gap !== null) &&
  (gap !== null || (result === 'failed') === reasons.some(({ known }) => !known))

/** The verdicts that the cases allow: a run that was stopped does not pass, even if all of them are judged. */
function verdictsOf({
  cases,
  rates,
  judged,
  total,
  shard,
  policy,
  must_judge_all,
  reference,
}: CheckReport): CheckReport['verdict'][] {
  const compared = reference?.comparison?.exit ?? gateExits.passed
  const isFailed = cases.some(({ result }) => result === 'failed') || rates.some(failsCheck)
  if (isFailed || compared === gateExits.failed) return ['failed']
  const minJudged = neededShare(cases, { minJudged: policy.minJudged, mustJudgeAll: must_judge_all })
  const isUndecided = rates.some(({ verdict }) => verdict === 'cannot tell')
  const mayPass =
    compared === gateExits.passed &&
    !isUndecided &&
    (total === 0 || isEnoughJudged({ judged, total, shard }, minJudged))
  return mayPass ? ['passed', 'not judged'] : ['not judged']
}

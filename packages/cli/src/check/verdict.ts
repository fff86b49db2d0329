import { type CheckReport, levelText, type RateReport, type ReportCase, rateSubject } from '@svc/report-viewer'
import { exit } from '../exit.js'
import { count, inert, percent } from '../terminal/index.js'
import { failsCheck, isEnoughJudged } from './rates.js'

/**
 * The verdict and the exit code. Failures take precedence over missing judgements, and a run whose gaps are all temporary
 * can be repeated.
 */
export function verdictOf(
  { cases, rates, judged }: Pick<CheckReport, 'cases' | 'rates' | 'judged'>,
  { minJudged, gateExit, stoppedBy }: { minJudged: number; gateExit: number; stoppedBy: number | undefined },
): Pick<CheckReport, 'verdict' | 'exit'> {
  if (cases.some(({ result }) => result === 'failed') || rates.some(failsCheck))
    return { verdict: 'failed', exit: stoppedBy ?? gateExit }
  const isUndecided = rates.some(({ verdict }) => verdict === 'cannot tell')
  if (stoppedBy === undefined && isEnoughJudged({ judged, total: cases.length }, minJudged) && !isUndecided)
    return { verdict: 'passed', exit: exit.ok }
  return { verdict: 'not judged', exit: stoppedBy ?? (areAllTemporary(cases) ? exit.temporary : exit.notJudged) }
}

/** True if there are gaps and another run may close all of them. */
function areAllTemporary(cases: readonly ReportCase[]): boolean {
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  return gaps.length > 0 && gaps.every(({ temporary }) => temporary)
}

type Judged = Omit<CheckReport, 'line'>

/** The verdict in one line. */
export function verdictLine(report: Judged, isStopped: boolean): string {
  const { verdict, judged, total, cases, rates, results, flaky, baseline, selection } = report
  const known = results.known > 0 && !baseline?.updated && verdict !== 'passed'
  const end = [
    ...(judged < total ? [`${total - judged} of ${total} not judged`] : []),
    ...(verdict === 'not judged' && areAllTemporary(cases) && !isStopped ? ['temporary failures, run it again'] : []),
    ...(known ? [`${results.known} known from the baseline`] : []),
    ...(selection ? [`${selection.not_selected} of ${total + selection.not_selected} not selected`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
    ...(isStopped ? ['stopped'] : []),
  ]
  if (verdict === 'failed') return `failed: ${[...failures(report), ...end].join('; ')}`
  if (verdict === 'passed') return `passed: ${[passedText(report), ...rates.map(rateText), ...end].join('; ')}`
  const undecided = rates.filter((rate) => rate.verdict === 'cannot tell').map(rateText)
  const parts = total === 0 ? ['no transcripts'] : []
  return `could not judge: ${[...parts, ...undecided, ...end].join('; ')}`
}

function passedText({ policy, results, baseline, judged, total }: Judged): string {
  const { failOn, forbidden, allowed, required, overrides, custom } = policy
  if (baseline?.updated)
    return `baseline written with ${count(results.known, 'finding')} in ${count(total, 'transcript')}`
  if (results.known > 0)
    return `no new failures in ${count(judged, 'transcript')} (${results.known} known from the baseline)`
  const isPlain =
    failOn !== 'none' && forbidden.length + required.length + overrides.length === 0 && !allowed && !custom
  const of = `0 of ${count(judged, judged < total ? 'judged transcript' : 'transcript')}`
  const one = judged === 1
  return isPlain ? `${of} ${one ? 'is' : 'are'} ${levelText(failOn)}` : `${of} ${one ? 'breaks' : 'break'} a rule`
}

/** The kinds of failures, each with its number of transcripts. */
function failures({ cases, rates, total, policy }: Judged): string[] {
  const failed = cases.filter(({ result }) => result === 'failed')
  const byOutcome = failed.filter(({ reasons }) => reasons.some(({ rule, known }) => !known && rule === 'outcome'))
  const others = failed.filter((each) => !byOutcome.includes(each))
  const isCustom = others.some(({ reasons }) => reasons.some(({ rule, known }) => !known && rule === 'custom'))
  const isIndeterminate = ({ outcome }: ReportCase) => outcome === 'indeterminate'
  const level = policy.overrides.some(({ failOn }) => failOn !== undefined) ? 'none' : policy.failOn
  const kinds = [
    ...(byOutcome.every(isIndeterminate) ? [] : [level === 'none' ? 'too bad' : levelText(level)]),
    ...(byOutcome.some(isIndeterminate) ? ['indeterminate'] : []),
  ]
  const of = `of ${count(total, 'transcript')}`
  return [
    ...(kinds.length > 0
      ? [`${byOutcome.length} ${of} ${byOutcome.length === 1 ? 'is' : 'are'} ${kinds.join(' or ')}`]
      : []),
    ...(others.length > 0
      ? [`${others.length} ${of} ${others.length === 1 ? 'breaks' : 'break'} a ${isCustom ? '' : 'signal '}rule`]
      : []),
    ...rates.filter(failsCheck).map(rateText),
  ]
}

/** As in `poor or worse: 6 of 100, 6 %, at most 5 %`. */
export function rateText(rate: Omit<RateReport, 'culprits'>): string {
  const { max, hits, n, verdict } = rate
  const share = n === 0 ? '' : `, ${percent(hits / n)}`
  const limit = verdict === 'cannot tell' ? `too few to compare with ${percent(max)}` : `at most ${percent(max)}`
  const isKnown = verdict === 'exceeded' && !failsCheck(rate)
  return `${inert(rateSubject(rate))}: ${hits} of ${n}${share}, ${limit}${isKnown ? ', known from the baseline' : ''}`
}

import { type CheckReport, levelText, type RateReport } from '@svc/report-viewer'
import { count, inert, percent } from '../terminal/index.js'
import { areAllTemporary, failsCheck } from './rates.js'

type Concluded = Omit<CheckReport, 'line'>

/** The one line that says how the check went; from the same value as the exit code. */
export function verdictLine(report: Concluded, isStopped: boolean): string {
  const { verdict, judged, total, cases, rates, results, baseline } = report
  const of = `${judged} of ${count(total, 'transcript')} judged`
  const end = `${more(report)}${isStopped ? '; stopped' : ''}`
  if (verdict === 'failed') return `failed: ${[...failuresOf(report), of].join('; ')}${end}`
  if (verdict === 'passed') {
    const kept = rates.map((rate) => `; ${rateText(rate)}`).join('')
    const what = baseline?.updated
      ? `the baseline was written, with ${count(results.known, 'finding')} in ${count(total, 'transcript')}`
      : `none of ${count(total, 'transcript')} ${limitText(report)}`
    return `passed: ${what}${kept}${judged < total ? `; ${of}` : ''}${end}`
  }
  const vague = rates.filter((rate) => rate.verdict === 'cannot tell').map(rateText)
  const again = areAllTemporary(cases) && !isStopped ? '; the service could not be asked, run again' : ''
  return `could not judge: ${[...vague, of].join('; ')}${again}${end}`
}

/** What the failing ones fail by. */
function failuresOf({ cases, rates, total, policy }: Concluded): string[] {
  const failed = cases.filter(({ result }) => result === 'failed')
  const isOf = (outcome: boolean) => (each: Concluded['cases'][number]) =>
    each.reasons.some(({ rule, known }) => !known && rule === 'outcome') === outcome
  const bad = failed.filter(isOf(true))
  const others = failed.filter(isOf(false)).length
  const isVague = (each: Concluded['cases'][number]) => each.outcome === 'indeterminate'
  const level = policy.overrides.some(({ failOn }) => failOn !== undefined) ? 'none' : policy.failOn
  const kinds = [
    ...(bad.some((each) => !isVague(each)) ? [level === 'none' ? 'too bad' : levelText(level)] : []),
    ...(bad.some(isVague) ? ['indeterminate'] : []),
  ]
  const ofAll = `of ${count(total, 'transcript')}`
  return [
    ...(bad.length > 0 ? [`${bad.length} ${ofAll} ${bad.length === 1 ? 'is' : 'are'} ${kinds.join(' or ')}`] : []),
    ...(others > 0 ? [`${others} ${ofAll} ${others === 1 ? 'breaks' : 'break'} a rule of signals`] : []),
    ...rates.filter(failsCheck).map(rateText),
  ]
}

function limitText({ policy, results }: Concluded): string {
  const { failOn, forbidden, allowed, required, overrides } = policy
  const isPlain = failOn !== 'none' && forbidden.length + required.length + overrides.length === 0 && !allowed
  return `${isPlain ? `is ${levelText(failOn)}` : 'breaks a rule'}${results.known > 0 ? ' that the baseline does not have' : ''}`
}

/** What else there is to know in few words. */
function more({ results, flaky, baseline }: Concluded): string {
  const parts = [
    ...(results.known > 0 && !baseline?.updated ? [`${results.known} as in the baseline`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
  ]
  return parts.length > 0 ? `; ${parts.join(', ')}` : ''
}

/** As in `poor or worse: 6 of 100, 6 %, at most 5 %`. */
export function rateText(rate: Omit<RateReport, 'culprits'>): string {
  const { of, max, hits, n, verdict } = rate
  const what = 'signal' in of ? inert(of.signal) : levelText(of.outcome)
  const share = n === 0 ? '' : `, ${percent(hits / n)}`
  const bound = `${verdict === 'cannot tell' ? 'too few to tell of' : 'at most'} ${percent(max)}`
  return `${what}: ${hits} of ${n}${share}, ${bound}${verdict === 'exceeded' && !failsCheck(rate) ? ', as in the baseline' : ''}`
}

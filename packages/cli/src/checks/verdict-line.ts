import { count, inert } from '../text.js'
import type { CheckReport, RateReport } from './report.js'
import { fails, mayClose } from './verdict.js'

type Concluded = Omit<CheckReport, 'line'>

/** The one line that says how the check went; from the same value as the exit code. */
export function verdictLine(report: Concluded): string {
  const { verdict, judged, total, cases, rates } = report
  const of = `${judged} of ${count(total, 'transcript')} judged`
  if (verdict === 'failed') return `failed: ${failuresOf(report).join(', ')}; ${of}${more(report)}`
  if (verdict === 'passed') {
    const kept = rates.map((rate) => `, ${rateText(rate)}`).join('')
    return `passed: none of ${count(total, 'transcript')} ${limitText(report)}${kept}${judged < total ? `; ${of}` : ''}${more(report)}`
  }
  const vague = rates.filter((rate) => rate.verdict === 'cannot tell').map((rate) => `, ${rateText(rate)}`)
  const again = mayClose(cases) ? '; the service could not be asked, run again' : ''
  return `could not judge: ${of}${vague.join('')}${again}${more(report)}`
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
    ...(bad.some((each) => !isVague(each)) ? [level === 'none' ? 'too bad' : `${level} or worse`] : []),
    ...(bad.some(isVague) ? ['indeterminate'] : []),
  ]
  const ofAll = `of ${count(total, 'transcript')}`
  return [
    ...(bad.length > 0 ? [`${bad.length} ${ofAll} ${bad.length === 1 ? 'is' : 'are'} ${kinds.join(' or ')}`] : []),
    ...(others > 0 ? [`${others} ${ofAll} ${others === 1 ? 'breaks' : 'break'} a rule of signals`] : []),
    ...rates.filter(fails).map(rateText),
  ]
}

function limitText({ policy, results }: Concluded): string {
  const { failOn, forbidden, allowed, required, overrides } = policy
  const isPlain = failOn !== 'none' && forbidden.length + required.length + overrides.length === 0 && !allowed
  return `${isPlain ? `is ${failOn} or worse` : 'breaks a rule'}${results.known > 0 ? ' that the baseline does not have' : ''}`
}

/** What else there is to know in few words. */
function more({ results, flaky, baseline }: Concluded): string {
  const parts = [
    ...(results.known > 0 ? [`${results.known} as in the baseline`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
    ...(baseline?.updated ? ['baseline updated'] : []),
  ]
  return parts.length > 0 ? `; ${parts.join(', ')}` : ''
}

/** As in `poor or worse: 6 of 100, 6 %, at most 5 %`. */
export function rateText({ of, max, hits, n, verdict }: RateReport): string {
  const what = 'signal' in of ? inert(of.signal) : `${of.outcome} or worse`
  const share = n === 0 ? '' : `, ${percent(hits / n)}`
  return `${what}: ${hits} of ${n}${share}, ${verdict === 'cannot tell' ? 'too few to tell of' : 'at most'} ${percent(max)}`
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

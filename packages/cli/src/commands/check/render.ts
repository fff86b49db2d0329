import type { Finding, RateReport, Reason, Report } from '../../checks/judge.js'
import type { Policy } from '../../checks/policy.js'
import { type Conversation, labelOf, originOf, placeOfTurn, sumOfLosses } from '../../conversations.js'
import type { Style } from '../../style.js'
import { count, cut, inert } from '../../text.js'

type Checked = Report<Conversation>

/** The one line that says how the check went; from the same report as the exit code. */
export function verdictLine(report: Checked, policy: Policy): string {
  const { verdict, gaps, judged, total } = report
  const of = `${judged} of ${count(total, 'transcript')} judged`
  if (verdict === 'failed') return `failed: ${failuresOf(report, policy).join(', ')}; ${of}`
  const rates = report.rates.map((rate) => `, ${rateText(rate)}`).join('')
  if (verdict === 'passed') {
    const some = judged < total ? `; ${of}` : ''
    return `passed: none of ${count(total, 'transcript')} ${limitText(policy)}${rates}${some}`
  }
  const mayClose = gaps.length > 0 && gaps.every((gap) => gap.temporary)
  const vague = report.rates.filter((rate) => rate.verdict === 'cannot tell').map((rate) => `, ${rateText(rate)}`)
  return `could not judge: ${of}${vague.join('')}${mayClose ? '; the service could not be asked, run again' : ''}`
}

/** What the failing ones fail by. */
function failuresOf({ findings, rates, total }: Checked, { failOn }: Policy): string[] {
  const bad = findings.filter(({ reasons }) => reasons.some(({ rule }) => rule === 'outcome'))
  const others = findings.length - bad.length
  const kinds = [
    ...(failOn && bad.some(({ annotation }) => annotation.outcome !== 'indeterminate') ? [`${failOn} or worse`] : []),
    ...(bad.some(({ annotation }) => annotation.outcome === 'indeterminate') ? ['indeterminate'] : []),
  ]
  return [
    ...(bad.length > 0
      ? [`${bad.length} of ${count(total, 'transcript')} ${bad.length === 1 ? 'is' : 'are'} ${kinds.join(' or ')}`]
      : []),
    ...(others > 0
      ? [`${others} of ${count(total, 'transcript')} ${others === 1 ? 'breaks' : 'break'} a rule of signals`]
      : []),
    ...rates.filter(({ verdict }) => verdict === 'exceeded').map(rateText),
  ]
}

const limitText = ({ failOn, forbidden, allowed, required }: Policy): string =>
  failOn && forbidden.length + required.length === 0 && !allowed ? `is ${failOn} or worse` : 'breaks a rule'

/** As in `poor or worse: 6 of 100, 6 %, at most 5 %`. */
function rateText({ of, max, hits, n, verdict }: RateReport): string {
  const what = 'signal' in of ? inert(of.signal) : `${of.outcome} or worse`
  const share = n === 0 ? '' : `, ${percent(hits / n)}`
  return `${what}: ${hits} of ${n}${share}, ${verdict === 'cannot tell' ? 'too few to tell of' : 'at most'} ${percent(max)}`
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

/** The report for a person: each finding with its evidence, each gap with its reason, and the verdict. */
export function reportText(report: Checked, policy: Policy, style: Style): string {
  const lines = report.findings.flatMap((finding) => findingLines(finding, style))
  for (const subject of report.warned) lines.push(`${style('yellow', 'indeterminate')}  ${inert(labelOf(subject))}`)
  for (const { subject, why } of report.gaps)
    lines.push(`${style('yellow', 'not judged')}  ${inert(labelOf(subject))}  ${why}`)
  const color = report.verdict === 'passed' ? 'green' : report.verdict === 'failed' ? 'red' : 'yellow'
  lines.push(style(color, verdictLine(report, policy)))
  return `${lines.join('\n')}\n`
}

function findingLines({ subject, annotation, reasons }: Finding<Conversation>, style: Style): string[] {
  const lines = [
    `${style('red', inert(annotation.outcome))}  ${style('bold', cut(inert(annotation.summary.title), 80))}  ${style('dim', inert(labelOf(subject)))}`,
  ]
  for (const reason of reasons) if (reason.rule !== 'outcome') lines.push(`  ${style('red', reasonText(reason))}`)
  for (const { key, evidence, where } of signalsOf(subject, annotation)) {
    lines.push(`  ${inert(where)}  ${style('yellow', inert(key))}  “${cut(inert(evidence), 120)}”`)
  }
  return lines
}

const reasonText = ({ rule, signal }: Extract<Reason, { signal: string }>): string =>
  rule === 'required'
    ? `the signal ${inert(signal)} is required and did not fire`
    : `the signal ${inert(signal)} is ${rule}`

function signalsOf(subject: Conversation, annotation: Finding<Conversation>['annotation']) {
  return Object.entries(annotation.signals).map(([key, { evidence, turn = null }]) => {
    const place = placeOfTurn(subject, turn)
    const where = place ? `${subject.source.path}:${place.line}:${place.column}` : subject.source.path
    return { key, evidence, turn, where, line: place?.line ?? null, column: place?.column ?? null }
  })
}

/** The report as one JSON document. */
export const reportJson = (
  report: Checked,
  { annotator, policy }: { annotator: string; policy: Policy },
  requests: readonly { conversation: Conversation }[],
): object => ({
  schema: 'svc/check@1',
  verdict: report.verdict,
  exit: report.exit,
  annotator,
  fail_on: policy.failOn ?? null,
  policy,
  total: report.total,
  judged: report.judged,
  losses: sumOfLosses(requests.map(({ conversation }) => conversation)),
  outcomes: report.outcomes,
  rates: report.rates,
  findings: report.findings.map(({ subject, annotation, reasons }) => ({
    ...originOf(subject, subject.name),
    outcome: annotation.outcome,
    reasons,
    outcome_notes: annotation.outcome_notes,
    annotator_version: annotation.annotator_version,
    taxonomy_version: annotation.taxonomy_version,
    signals: signalsOf(subject, annotation).map(({ where, ...signal }) => signal),
  })),
  warned: report.warned.map((subject) => originOf(subject, subject.name)),
  gaps: report.gaps.map(({ subject, ...gap }) => ({ ...originOf(subject, subject.name), ...gap })),
})

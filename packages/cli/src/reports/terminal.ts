import type { CheckReport, Reason, ReportCase, Result } from '../checks/report.js'
import type { Style } from '../style.js'
import { count, cut, inert } from '../text.js'

const titles: Record<Result, string> = {
  failed: 'failed',
  'not judged': 'not judged',
  known: 'as in the baseline',
  warned: 'indeterminate',
  ignored: 'ignored',
  passed: 'passed',
}

const colors: Record<Result, Parameters<Style>[0]> = {
  failed: 'red',
  'not judged': 'yellow',
  known: 'dim',
  warned: 'yellow',
  ignored: 'dim',
  passed: 'green',
}

/** The report for a person: what failed with its evidence, what could not be judged with its reason, and the verdict. */
export function* terminal(report: CheckReport, style: Style): Generator<string> {
  for (const result of ['known', 'warned', 'not judged', 'failed'] as const) {
    const cases = report.cases.filter((each) => each.result === result)
    if (cases.length === 0) continue
    yield `${style('bold', `${titles[result]}: ${count(cases.length, 'transcript')}`)}\n`
    for (const each of cases) yield `${caseLines(each, style).join('\n')}\n`
    yield '\n'
  }
  const { missing = [] } = report.baseline ?? {}
  if (missing.length > 0) {
    yield `${style('bold', `in the baseline, and not checked: ${count(missing.length, 'transcript')}`)}\n`
    for (const { name, outcome } of missing) yield `  ${inert(outcome)}  ${inert(name)}\n`
    yield '\n'
  }
  const color = { passed: 'green', failed: 'red', 'not judged': 'yellow' } as const
  yield `${style(color[report.verdict], report.line)}\n`
}

function caseLines(each: ReportCase, style: Style): string[] {
  const { result, outcome, summary, gap, signals, reasons } = each
  const what = style(colors[result], inert(outcome ?? 'no outcome'))
  const title = summary ? `  ${style('bold', cut(inert(summary.title), 80))}` : ''
  const lines = [`  ${what}${title}  ${style('dim', inert(labelOfCase(each)))}${notesOn(each)}`]
  if (gap) lines.push(`    ${inert(gap.detail === null ? gap.why : `${gap.why}: ${gap.detail}`)}`)
  if (result !== 'failed') return lines
  for (const reason of reasons) if (reason.rule !== 'outcome') lines.push(`    ${style('red', reasonText(reason))}`)
  for (const signal of signals) {
    const where = style('dim', inert(placeOf(each, signal)))
    lines.push(`    ${where}  ${style('yellow', inert(signal.key))}  “${cut(inert(signal.evidence), 120)}”`)
  }
  return lines
}

/** What else there is to say of a transcript in few words. */
function notesOn({ flaky, votes, change, before, outcome }: ReportCase): string {
  const notes = [
    ...(flaky ? [`flaky: ${votes.map(inert).join(', ')}`] : []),
    ...(change === 'new' ? ['new'] : before !== null && before !== outcome ? [`was ${inert(before)}`] : []),
  ]
  return notes.length > 0 ? `  (${notes.join('; ')})` : ''
}

/** How a transcript is called where a person reads of it: its file, and its record and part where there are more. */
export const labelOfCase = ({ path, record, part }: Pick<ReportCase, 'path' | 'record' | 'part'>): string =>
  `${path}${record > 1 ? ` record ${record}` : ''}${part > 1 ? ` part ${part}` : ''}`

/** `path:line:column` as far as it is known. */
export const placeOf = (
  { path }: Pick<ReportCase, 'path'>,
  at: { line: number | null; column: number | null },
): string => (at.line === null ? path : `${path}:${at.line}:${at.column ?? 1}`)

/** A broken rule in words, with nothing in it that a terminal would act on. */
export const reasonText = (reason: Reason): string =>
  reason.rule === 'outcome'
    ? `the outcome is ${inert(reason.outcome)}`
    : reason.rule === 'required'
      ? `the signal ${inert(reason.signal)} is required and did not fire`
      : `the signal ${inert(reason.signal)} is ${reason.rule}`

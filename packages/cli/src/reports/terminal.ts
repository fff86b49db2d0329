import type { CheckReport, ReportCase, Result } from '../checks/report.js'
import type { Style } from '../style.js'
import { count, cut, inert } from '../text.js'
import { gapIn, historyOf, labelOfCase, placeOf, reasonIn } from './words.js'

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
  const notes = historyOf(each, inert)
  const title = summary ? `  ${style('bold', cut(inert(summary.title), 80))}` : ''
  const lines = [
    `  ${what}${title}  ${style('dim', inert(labelOfCase(each)))}${notes.length > 0 ? `  (${notes.join('; ')})` : ''}`,
  ]
  if (gap && gap.why !== outcome) lines.push(`    ${gapIn(gap, inert)}`)
  if (result !== 'failed') return lines
  for (const reason of reasons)
    if (reason.rule !== 'outcome') lines.push(`    ${style('red', reasonIn(reason, inert))}`)
  for (const signal of signals) {
    const where = style('dim', inert(placeOf(each, signal)))
    lines.push(`    ${where}  ${style('yellow', inert(signal.key))}  “${cut(inert(signal.evidence), 120)}”`)
  }
  return lines
}

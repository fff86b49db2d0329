import { count, cut, escapeLine, firstNames, grouped } from '@svc/text'
import {
  absentOf,
  agreementText,
  asIs,
  type CheckReport,
  caseLabel,
  caseTitle,
  costText,
  coverageText,
  evidenceText,
  failingNotes,
  failsCheck,
  gapText,
  historyLines,
  hitTexts,
  labelLines,
  type ReportCase,
  type Result,
  rateName,
  reasonText,
  signalPlace,
  sliceCounts,
  sliceText,
  type Titled,
  worstCasesFirst,
} from '../report/index.js'
import { comparisonText } from './comparison.js'
import type { Style } from './style.js'

const titles = { known: 'known from the baseline', warned: 'indeterminate, accepted by the policy' }

const colors: Record<Result, Parameters<Style>[0]> = {
  failed: 'red',
  'not judged': 'yellow',
  known: 'dim',
  warned: 'yellow',
  ignored: 'dim',
  passed: 'green',
}

const mostReasons = 10

/** The number of values of a tag that are shown, the worst first. */
const mostSlices = 10

/** The number of characters of a transcript that a rate counts. */
const longestHit = 300

/** The number of transcripts of a kind that are shown in full. */
const mostShown = 50

export interface TerminalOptions {
  /** List what does not fail, too. */
  verbose?: boolean
  /** Show every failed and every flaky transcript, however many there are. */
  showAll?: boolean
}

/**
 * The report for a person. It ends with the failures, the worst next to the verdict. Everything that does not fail is
 * only counted, unless `verbose`.
 */
export function* terminal(
  report: CheckReport,
  style: Style,
  { verbose = false, showAll = false }: TerminalOptions = {},
): Generator<string> {
  const comparison = report.reference?.comparison
  if (comparison) yield* comparisonText(comparison, style, { showAll })
  if (comparison) yield '\n'
  const most = showAll ? Number.POSITIVE_INFINITY : mostShown
  const rows = absentOf(report).map((each) => ({ ...missingRow(each), hasOther: each.now !== undefined }))
  const edited = rows.filter(({ hasOther }) => hasOther)
  yield* counted('in the baseline with other content', edited, style, verbose)
  const absent = rows.filter(({ hasOther }) => !hasOther)
  yield* counted('in the baseline, but not found with its content', absent, style, verbose)
  for (const result of ['known', 'warned'] as const) {
    const cases = report.cases.filter((each) => each.result === result)
    const rows = cases.map((each) => ({ label: escapeLine(caseLabel(each)), lines: caseLines(each, style) }))
    yield* counted(titles[result], rows, style, verbose)
  }
  const flaky = report.cases.filter((each) => each.flaky && each.result !== 'failed')
  if (flaky.length > 0) yield `${headOf('flaky', flaky.length, style)}\n`
  yield* inFull(flaky.slice(0, most), style)
  yield* restOf(flaky, most)
  const gaps = report.cases.filter(({ result }) => result === 'not judged')
  if (gaps.length > 0) yield `${headOf('not judged', gaps.length, style)}\n`
  if (verbose) yield* inFull(gaps, style)
  else yield* byReason(gaps, style)
  for (const [tag, slices] of grouped(report.slices ?? [], (each) => each.tag)) {
    const worst = slices.toSorted(
      (a, b) => b.results.failed - a.results.failed || a.judged - a.total - (b.judged - b.total),
    )
    for (const slice of worst.slice(0, mostSlices)) yield `  ${escapeLine(sliceText(slice))}: ${sliceCounts(slice)}\n`
    const rest = worst.slice(mostSlices)
    const failed = rest.reduce((sum, { results }) => sum + results.failed, 0)
    if (rest.length > 0) yield `  ${count(rest.length, 'more value')} of ${escapeLine(tag)}: ${failed} failed\n`
    yield '\n'
  }
  for (const rate of report.rates) {
    const lines = hitTexts(rate, report.cases, escapeLine)
    const rows = rate.culprits.map((each, at) => ({
      label: escapeLine(caseLabel(each)),
      lines: [`  ${cut(lines[at] ?? '', longestHit)}`],
    }))
    const isListed = verbose || (failsCheck(rate) && rows.length <= most)
    yield* counted(`counts for ${escapeLine(rateName(rate))}`, rows, style, isListed)
  }
  const failed = worstCasesFirst(report, 'failed')
  if (failed.length > 0) yield `${headOf('failed', failed.length, style)}\n`
  yield* restOf(failed, most)
  yield* inFull(failed.slice(0, most).reverse(), style)
  if (report.labels) {
    yield `${style('bold', escapeLine(`labels of ${report.labels.from}`))}\n`
    for (const line of labelLines(report.labels, asIs)) yield `  ${escapeLine(line)}\n`
  }
  if (report.self_agreement) yield `${style('dim', agreementText(report.self_agreement))}\n`
  if (report.cost) yield `${style('dim', escapeLine(costText(report.cost)))}\n`
  const covered = coverageText(report)
  if (covered) yield `${style('dim', covered)}\n`
  const color = { passed: 'green', failed: 'red', 'not judged': 'yellow' } as const
  yield `${style(color[report.verdict], report.line)}\n`
}

function* restOf(cases: readonly ReportCase[], most: number): Generator<string> {
  if (cases.length > most) yield `  ${cases.length - most} more; --show-all shows them\n`
}

const headOf = (title: string, n: number, style: Style) => style('bold', `${title}: ${count(n, 'transcript')}`)

interface Row {
  label: string
  lines: string[]
}

function* counted(title: string, rows: readonly Row[], style: Style, verbose: boolean): Generator<string> {
  if (rows.length === 0) return
  const head = headOf(title, rows.length, style)
  if (verbose) {
    yield `${head}\n`
    for (const { lines } of rows) yield `${lines.join('\n')}\n`
  } else yield `${head}  ${style('dim', `(${firstNames(rows.map(({ label }) => label))})`)}\n`
  yield '\n'
}

const titleOf = (each: Titled): string => cut(escapeLine(caseTitle(each)), 80)

function missingRow(each: ReturnType<typeof absentOf>[number]): Row {
  const { outcome, now } = each
  const change = now === undefined ? outcome : `${outcome}, now ${now ?? 'not judged'}`
  const label = escapeLine(caseLabel(each))
  const shown = now === undefined ? label : `${label}: ${escapeLine(change)}`
  return { label: shown, lines: [`  ${escapeLine(change)}  ${titleOf(each)}  ${label}`] }
}

function* inFull(cases: readonly ReportCase[], style: Style): Generator<string> {
  for (const each of cases) yield `${caseLines(each, style).join('\n')}\n`
  if (cases.length > 0) yield '\n'
}

/** A line for each reason, the most common first, because an outage has the same reason for thousands. */
function* byReason(cases: readonly ReportCase[], style: Style): Generator<string> {
  if (cases.length === 0) return
  const groups = [...grouped(cases, whyNot)].sort(([, a], [, b]) => b.length - a.length)
  for (const [why, of] of groups.slice(0, mostReasons)) {
    const labels = of.map((each) => escapeLine(caseLabel(each)))
    yield `  ${of.length} ${style('yellow', why)}  ${style('dim', `(${firstNames(labels)})`)}\n`
  }
  const rest = groups.slice(mostReasons).reduce((sum, [, { length }]) => sum + length, 0)
  if (rest > 0) yield `  ${rest} for other reasons\n`
  yield '\n'
}

function whyNot({ gap, outcome }: ReportCase): string {
  const why = gap ? gapText(gap, escapeLine) : 'not judged'
  return gap?.why === 'unknown outcome' && outcome !== null ? `${why} ${escapeLine(outcome)}` : why
}

function caseLines(each: ReportCase, style: Style): string[] {
  const { result, outcome, gap, signals, reasons } = each
  const what = style(colors[result], escapeLine(outcome ?? 'no outcome'))
  const notes = historyLines(each, escapeLine)
  const lines = [
    `  ${what}  ${style('bold', titleOf(each))}  ${style('dim', escapeLine(caseLabel(each)))}${notes.length > 0 ? `  (${notes.join('; ')})` : ''}`,
  ]
  if (gap && gap.why !== outcome) lines.push(`    ${gapText(gap, escapeLine)}`)
  if (result !== 'failed') return lines
  const why = failingNotes(each)
  if (why !== '') lines.push(`    “${cut(escapeLine(why), 120)}”`)
  for (const reason of reasons)
    if (reason.rule !== 'outcome' || reason.accepted) lines.push(`    ${style('red', reasonText(reason, escapeLine))}`)
  for (const signal of signals) {
    const where = style('dim', escapeLine(signalPlace(each, signal)))
    lines.push(
      `    ${where}  ${style('yellow', escapeLine(signal.key))}  ${evidenceText(signal, (text) => cut(escapeLine(text), 120))}`,
    )
  }
  return lines
}

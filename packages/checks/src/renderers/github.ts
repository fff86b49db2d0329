import { cut } from '@svc/text'
import {
  asIs,
  type CheckReport,
  caseTitle,
  errorLines,
  evidenceText,
  failsCheck,
  gapText,
  hitTexts,
  maxExcerpt,
  noteLines,
  type RateReport,
  type ReportCase,
  type ReportSignal,
  rateText,
  reasonText,
  signalPlace,
  worstCasesFirst,
} from '../report/index.js'
import { escapeWorkflowMessage, escapeWorkflowPath, escapeWorkflowProperty } from './escape.js'
import { placeInRepository } from './from-root.js'
import { markdownWithin } from './markdown.js'

/** The number of errors, and of warnings, that GitHub shows for a step. */
const mostOfKind = 10

/** GitHub cuts a message after 4096 UTF-16 code units; a character has at most two. */
const longestMessage = 2000

/** The largest summary of a step, in bytes of UTF-8. */
export const longestSummary = 1024 * 1024

interface Remark {
  title: string
  text: string
  at?: { path: string; line: number | null; column: number | null }
}

/**
 * A report `fromRoot` as GitHub workflow commands: errors for failures, the worst first, and warnings for transcripts
 * that are not judged.
 */
export function* github(report: CheckReport): Generator<string> {
  const { rates, cases } = report
  yield* commands('error', report, [
    ...(report.verdict === 'not judged' ? [ofEnd(report)] : []),
    ...rates.filter(failsCheck).map((rate) => ofRate(rate, report)),
    ...worstCasesFirst(report, 'failed').map(ofFailed),
  ])
  const open = cases.filter(({ result }) => result === 'not judged' || result === 'warned')
  yield* commands('warning', report, [
    ...rates.filter(({ verdict }) => verdict === 'cannot tell').map((rate) => ofRate(rate, report)),
    ...open.sort((a, b) => Number(a.result === 'warned') - Number(b.result === 'warned')).map(ofOpen),
    ...noteLines(report, asIs).map((text) => ({ title: 'svc check', text })),
  ])
}

/** The report for the file in GITHUB_STEP_SUMMARY, in at most `maxBytes` bytes. */
export function* stepSummary(report: CheckReport, maxBytes: number): Generator<string> {
  // The last line of the file may have no line end.
  if (maxBytes < 1) return
  yield '\n'
  yield* markdownWithin(report, maxBytes - 1)
}

function* commands(kind: 'error' | 'warning', { line }: CheckReport, remarks: readonly Remark[]): Generator<string> {
  const room = remarks.length > mostOfKind ? mostOfKind - 1 : mostOfKind
  for (const remark of remarks.slice(0, room)) yield command(kind, remark)
  const left = remarks.length - room
  if (left > 0) yield command(kind, { title: `svc check: and ${left} more`, text: line })
}

function command(kind: string, { title, text, at }: Remark): string {
  const place = at && placeInRepository(at)
  const properties = [
    ...(place ? [`file=${escapeWorkflowPath(place.path)}`] : []),
    ...(place && place.line !== null
      ? [`line=${place.line}`, ...(place.column === null ? [] : [`col=${place.column}`])]
      : []),
    `title=${escapeWorkflowProperty(cut(title, 200))}`,
  ]
  return `::${kind} ${properties.join(',')}::${escapeWorkflowMessage(cut(text, longestMessage))}\n`
}

function ofFailed(each: ReportCase): Remark {
  const { path, outcome, reasons, signals, outcome_notes } = each
  const text = [
    ...reasons.filter(({ known }) => !known).map((reason) => reasonText(reason, asIs)),
    ...signals.map(
      (signal) =>
        `${signal.key}: ${evidenceText(signal, (text) => cut(text, maxExcerpt))} (${signalPlace(each, signal)})`,
    ),
    ...(outcome_notes ? [outcome_notes] : []),
  ].join('\n')
  const { line, column } = pointOf(each) ?? each
  return { title: `${outcome}: ${caseTitle(each)}`, text, at: { path, line, column } }
}

/** The signal that fails a transcript, or the first with a place. */
function pointOf({ reasons, signals }: ReportCase): ReportSignal | undefined {
  const located = signals.filter(({ line }) => line !== null)
  const blamed = reasons.flatMap((reason) => (!reason.known && 'signal' in reason ? [reason.signal] : []))
  return located.find(({ key }) => blamed.includes(key)) ?? located[0]
}

function ofOpen(each: ReportCase): Remark {
  const { gap, outcome, outcome_notes } = each
  const text = gap ? gapText(gap, asIs) : `the outcome is ${outcome}`
  return {
    title: `${gap ? 'not judged' : outcome}: ${caseTitle(each)}`,
    text: outcome_notes ? `${text}\n${outcome_notes}` : text,
    at: each,
  }
}

const ofEnd = ({ line, error }: CheckReport): Remark => ({
  title: 'svc check: could not judge',
  text: [line, ...(error ? errorLines(error, asIs) : [])].join('\n'),
})

const ofRate = (rate: RateReport, report: CheckReport): Remark => ({
  title: `rate ${rate.verdict}`,
  text: [rateText(rate), ...hitTexts(rate, report.cases, asIs)].join('\n'),
})

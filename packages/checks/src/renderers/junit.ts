import { cut, escapeLine, escapeXml, escapeXmlAttribute } from '@svc/text'
import {
  asIs,
  type CheckReport,
  caseLabel,
  caseTitle,
  circumstanceEntries,
  costText,
  coverageText,
  errorLines,
  evidenceText,
  failsCheck,
  gapText,
  historyLines,
  hitTexts,
  noteLines,
  numberText,
  placeOf,
  type RateReport,
  type ReportCase,
  type ReportSignal,
  rateName,
  rateText,
  reasonText,
  signalPlace,
  sliceCounts,
  sliceText,
} from '../report/index.js'

/** The end of a test; `system-out` belongs to a passed test. */
type Ending =
  | { kind: 'failure' | 'error'; type: string; message: string; text: string }
  | { kind: 'skipped' | 'system-out'; text: string }
  | undefined

interface Test {
  classname: string
  name: string
  /** Milliseconds. */
  time?: number | undefined
  ending: Ending
}

/**
 * The report as JUnit XML. Its first suite has a test for each transcript and no other. A run that does not pass has a second
 * suite if the transcripts do not show why: rates, and else the verdict. A failed check has failures, one that could not judge
 * has only errors, and a passed check has neither.
 */
export function* junit(report: CheckReport): Generator<string> {
  const { annotator, usage } = report
  const transcripts = report.cases.map((each) => testOf(each, report.verdict))
  const run = runTests(report, transcripts)
  const time = attributes({ time: usage.latency_ms === null ? undefined : seconds(usage.latency_ms) })
  const { tests, failures, errors } = sumsOf([...transcripts, ...run])
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc check"${attributes({ tests, failures, errors })}${time}>\n`
  yield `  <testsuite${attributes({ name: annotator || 'svc check', ...sumsOf(transcripts) })}${time}>\n`
  yield '    <properties>\n'
  for (const [name, value] of propertiesOf(report)) yield `      <property${attributes({ name, value })}/>\n`
  yield '    </properties>\n'
  for (const test of transcripts) yield testcase(test)
  yield '  </testsuite>\n'
  if (run.length > 0) {
    yield `  <testsuite${attributes({ name: 'svc check', ...sumsOf(run) })}>\n`
    for (const test of run) yield testcase(test)
    yield '  </testsuite>\n'
  }
  yield '</testsuites>\n'
}

function sumsOf(tests: readonly Test[]) {
  const countOf = (kind: string) => tests.filter(({ ending }) => ending?.kind === kind).length
  return { tests: tests.length, failures: countOf('failure'), errors: countOf('error'), skipped: countOf('skipped') }
}

/** The class has the record of a transcript, so that two of a file that have one title are two tests. */
const testOf = (each: ReportCase, verdict: CheckReport['verdict']): Test => ({
  classname: caseLabel(each),
  name: caseTitle(each),
  time: each.answer === 'asked' ? (each.usage?.latency_ms ?? undefined) : undefined,
  ending: endingOf(each, verdict),
})

const isRed = ({ ending }: Test): boolean => ending?.kind === 'failure' || ending?.kind === 'error'

/** The reasons beside its transcripts for which a run fails. */
function runTests(report: CheckReport, transcripts: readonly Test[]): Test[] {
  const { verdict, rates, line, error } = report
  if (verdict === 'passed') return []
  const ofRates = rates.flatMap((rate): Test[] => {
    const ending = rateEnding(rate, report)
    return ending ? [{ classname: 'svc check', name: rateName(rate), ending }] : []
  })
  // Readers of JUnit know a red run only by a red test.
  if (!error && [...transcripts, ...ofRates].some(isRed)) return ofRates
  const ending: Ending = {
    kind: verdict === 'failed' ? 'failure' : 'error',
    type: error?.kind ?? verdict,
    message: line,
    text: [line, ...(error ? errorLines(error, asIs) : [])].join('\n'),
  }
  return [...ofRates, { classname: 'svc check', name: 'verdict', ending }]
}

function endingOf(each: ReportCase, verdict: CheckReport['verdict']): Ending {
  const { result, gap, outcome, reasons, flaky, change, before } = each
  const text = failureText(each)
  if (result === 'failed') {
    const message = [...reasons.map((reason) => reasonText(reason, asIs)), ...each.signals.map(signalText)].join('; ')
    return { kind: 'failure', type: reasons[0]?.rule ?? 'outcome', message, text }
  }
  if (gap) {
    // An undecided annotator is no error; if too few transcripts are judged for that, the verdict is one.
    const isAnswered = gap.why === 'indeterminate' || gap.why === 'unknown outcome'
    if (isAnswered || verdict === 'passed') return { kind: 'skipped', text }
    return { kind: 'error', type: gap.why, message: gapText(gap, asIs), text }
  }
  if (result === 'warned' || result === 'ignored')
    return { kind: 'skipped', text: `The outcome is ${outcome}, which is ${result}.` }
  if (result === 'known') return { kind: 'system-out', text }
  if (!flaky && change !== 'new' && (before ?? outcome) === outcome) return undefined
  return { kind: 'system-out', text: historyLines(each, asIs).join('\n') }
}

function failureText(each: ReportCase): string {
  return [
    escapeLine(placeOf(each, each)),
    ...(each.result === 'known' ? ['Breaks rules, and none that the baseline does not have.'] : []),
    ...(each.gap ? [gapText(each.gap, asIs)] : []),
    ...each.reasons.map((reason) => reasonText(reason, asIs)),
    ...each.signals.map(
      (signal) => `${signal.key} at ${escapeLine(signalPlace(each, signal))}: ${evidenceText(signal, asIs)}`,
    ),
    ...(each.outcome_notes ? [`notes: ${each.outcome_notes}`] : []),
    ...historyLines(each, asIs),
  ].join('\n')
}

const signalText = (signal: ReportSignal): string => `${signal.key}: ${evidenceText(signal, (text) => cut(text, 100))}`

/** Undefined for a rate that does not fail the run. */
function rateEnding(rate: RateReport, report: CheckReport): Ending {
  const type = 'rate'
  const text = [rateText(rate), ...hitTexts(rate, report.cases, asIs)].join('\n')
  if (failsCheck(rate)) return { kind: 'failure', type, message: rateText(rate), text }
  return rate.verdict === 'cannot tell' ? { kind: 'error', type, message: text, text } : undefined
}

function testcase({ classname, name, time, ending }: Test): string {
  const head = `    <testcase${attributes({ classname, name, time: time === undefined ? time : seconds(time) })}`
  if (!ending) return `${head}/>\n`
  const { kind, text } = ending
  const typeAttributes = 'type' in ending ? attributes({ type: ending.type, message: cut(ending.message, 300) }) : ''
  return `${head}>\n      <${kind}${typeAttributes}>${escapeXml(text)}</${kind}>\n    </testcase>\n`
}

function* propertiesOf(report: CheckReport): Generator<[name: string, value: string]> {
  const { annotator, versions, line, usage, cost, requests, baseline } = report
  yield ['annotator', annotator]
  for (const version of versions) {
    yield ['annotator_version', version.annotator_version]
    yield ['taxonomy_version', version.taxonomy_version]
  }
  yield* circumstanceEntries(report)
  for (const slice of report.slices ?? []) yield ['slice', `${sliceText(slice)}: ${sliceCounts(slice)}`]
  for (const note of noteLines(report, asIs)) yield ['note', note]
  yield ['verdict', line]
  const covered = coverageText(report)
  if (covered) yield ['covered', covered]
  for (const rate of report.rates) yield ['rate', `${rate.verdict}: ${rateText(rate)}`]
  yield ['exit', String(report.exit)]
  for (const [name, value] of Object.entries(requests)) yield [`requests_${name}`, String(value)]
  yield ['tokens_in', numberText(usage.tokens_in)]
  yield ['tokens_out', numberText(usage.tokens_out)]
  if (cost) yield ['cost', costText(cost)]
  if (baseline) yield ['baseline', baseline.path]
}

const attributes = (values: Record<string, string | number | undefined>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXmlAttribute(String(value))}"`)
    .join('')

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

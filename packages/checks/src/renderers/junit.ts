import { cut, escapeLine, escapeXml, escapeXmlAttribute, grouped, percent } from '@svc/text'
import {
  asIs,
  type CheckReport,
  circumstanceEntries,
  costText,
  errorLines,
  evidenceText,
  failsCheck,
  gapText,
  historyLines,
  hitText,
  isEnoughJudged,
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
 * The report as JUnit XML: a test for each transcript, each rate, and the share of judged transcripts. A failed check
 * has failures, one that could not judge has only errors, and a passed check has neither.
 */
export function* junit(report: CheckReport): Generator<string> {
  const { annotator, usage } = report
  const tests = [...testsOf(report)]
  const countOf = (kind: string) => tests.filter(({ ending }) => ending?.kind === kind).length
  const sums = attributes({ tests: tests.length, failures: countOf('failure'), errors: countOf('error') })
  const time = attributes({ time: usage.latency_ms === null ? undefined : seconds(usage.latency_ms) })
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc check"${sums}${time}>\n`
  yield `  <testsuite${attributes({ name: annotator || 'svc check' })}${sums}${attributes({ skipped: countOf('skipped') })}${time}>\n`
  yield '    <properties>\n'
  for (const [name, value] of propertiesOf(report)) yield `      <property${attributes({ name, value })}/>\n`
  yield '    </properties>\n'
  for (const test of tests) yield testcase(test)
  yield '  </testsuite>\n</testsuites>\n'
}

function* testsOf(report: CheckReport): Generator<Test> {
  const byPath = grouped(report.cases, ({ path }) => path)
  for (const each of report.cases) {
    const { path, name, record, part, answer, usage } = each
    const place = `record ${record}${part > 1 ? ` part ${part}` : ''}`
    yield {
      classname: path,
      name: (byPath.get(path)?.length ?? 1) > 1 ? `${name} (${place})` : name,
      time: answer === 'asked' ? (usage?.latency_ms ?? undefined) : undefined,
      ending: endingOf(each, report.verdict),
    }
  }
  for (const rate of report.rates) yield { classname: 'svc check', name: rateName(rate), ending: rateEnding(rate) }
  const { policy, verdict, rates, line, error } = report
  const text = [line, ...(error ? errorLines(error, asIs) : [])].join('\n')
  const isVague = rates.some((rate) => rate.verdict === 'cannot tell')
  const isShort = !isEnoughJudged(report, policy.minJudged) || (verdict === 'not judged' && !isVague)
  yield {
    classname: 'svc check',
    name: `judged, at least ${percent(policy.minJudged)}`,
    ending: isShort
      ? { kind: 'error', type: error?.kind ?? 'judged', message: line, text }
      : { kind: 'system-out', text: line },
  }
}

function endingOf(each: ReportCase, verdict: CheckReport['verdict']): Ending {
  const { result, gap, outcome, reasons, flaky, change, before } = each
  const text = textOf(each)
  if (result === 'failed') {
    const message = [...reasons.map((reason) => reasonText(reason, asIs)), ...each.signals.map(signalText)].join('; ')
    return { kind: 'failure', type: reasons[0]?.rule ?? 'outcome', message, text }
  }
  if (gap) {
    // An undecided annotator is no error; too few judged transcripts are a separate error.
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

function textOf(each: ReportCase): string {
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

function rateEnding(rate: RateReport): Ending {
  const line = rateText(rate)
  const text = [line, ...rate.culprits.map((each) => hitText(each, asIs))].join('\n')
  if (failsCheck(rate)) return { kind: 'failure', type: 'rate', message: line, text }
  if (rate.verdict === 'cannot tell') return { kind: 'error', type: 'rate', message: text, text }
  return { kind: 'system-out', text }
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

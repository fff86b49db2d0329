import { createHash } from 'node:crypto'
import type { Location, Log, Notification, Result, Run } from 'sarif'
import type { CheckReport, ReportCase } from '../checks/report.js'
import { rateText } from '../checks/verdict-line.js'
import { count, cut, inertJson, inertSarif } from '../text.js'
import { version } from '../version.js'
import { placeInRepository } from './from-root.js'
import { type Finding, findingsOf, ruleOf } from './sarif-findings.js'
import { endIn, gapIn, longest, notesIn } from './words.js'

/** GitHub refuses a file with more results in a run. It takes as many rules, and a result has one place here. */
const mostResults = 25_000

const head: Pick<Log, '$schema' | 'version'> = {
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
}

/** A report `fromRoot` as SARIF 2.1.0: results are what failed or was known to, notifications what could not be judged. */
export function* sarif(report: CheckReport): Generator<string> {
  const quota = quotaOf(report)
  const rules = new Map<string, number>()
  for (const { rule } of within(findingsOf(report), quota)) if (!rules.has(rule)) rules.set(rule, rules.size)
  const run = inertJson(runOf(report, [...rules.keys()], quota.left))
  yield `${inertJson(head).slice(0, -1)},"runs":[${run.slice(0, -1)},"results":[`
  let isFirst = true
  for (const finding of within(findingsOf(report), quota)) {
    yield `${isFirst ? '' : ','}\n${inertJson(resultOf(finding, report, rules.get(finding.rule) ?? -1))}`
    isFirst = false
  }
  yield `${isFirst ? '' : '\n'}]}]}\n`
}

type Quota = Record<Finding['level'], number> & { all: number; left: number }

/** How many of each level there is room for, the gravest first. */
function quotaOf(report: CheckReport): Quota {
  const counts = { error: 0, warning: 0, note: 0 }
  for (const { level } of findingsOf(report)) counts[level]++
  const all = counts.error + counts.warning + counts.note
  const error = Math.min(counts.error, mostResults)
  const warning = Math.min(counts.warning, mostResults - error)
  const note = Math.min(counts.note, mostResults - error - warning)
  return { error, warning, note, all, left: all - error - warning - note }
}

function* within(findings: Iterable<Finding>, { error, warning, note }: Quota): Generator<Finding> {
  const room = { error, warning, note }
  for (const finding of findings) if (room[finding.level]-- > 0) yield finding
}

/** The run without its results. */
function runOf(report: CheckReport, rules: readonly string[], left: number): Omit<Run, 'results'> {
  const { annotator, versions, verdict, exit, line, usage, requests, total, judged } = report
  const { svc_versions, service, paths, options, attempts, confirm_on_fail } = report
  return {
    tool: { driver: { name: 'svc check', version, semanticVersion: version, rules: rules.map(ruleOf) } },
    automationDetails: { id: `svc check/${annotator}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: verdict !== 'not judged',
        exitCode: exit,
        toolExecutionNotifications: notificationsOf(report, left),
      },
    ],
    properties: {
      ...{ annotator, versions, verdict, line, total, judged, requests, usage },
      ...{ svc_versions, service, paths, options, attempts, confirm_on_fail },
    },
  }
}

function notificationsOf(report: CheckReport, left: number): Notification[] {
  const { cases, rates, baseline, error, line } = report
  const cutOff = `${count(left, 'result')} left out: a run may have ${mostResults}. The other reports have them all.`
  return [
    ...(left > 0 ? [told('warning', 'results left out', cutOff)] : []),
    ...(error ? [told('error', error.kind, [show(line), ...endIn(error, show)].join('\n'))] : []),
    ...cases.flatMap((each) => (each.gap ? [gapOf(each, each.gap)] : [])),
    ...rates
      .filter(({ verdict }) => verdict === 'cannot tell')
      .map((rate) => told('error', 'rate', inertSarif(rateText(rate)))),
    ...notesIn(report, show).map((note) => told('note', 'note', note)),
    ...(baseline?.missing ?? []).map(({ name }) =>
      told('note', 'not found', `“${show(name)}” is in the baseline and was not found.`),
    ),
    ...(baseline?.stale ? [told('note', 'baseline', `The baseline is out of date: ${show(baseline.stale)}.`)] : []),
  ]
}

const gapOf = (each: ReportCase, gap: NonNullable<ReportCase['gap']>): Notification => ({
  ...told(gap.temporary ? 'warning' : 'error', gap.why, `“${show(each.name)}”: ${gapIn(gap, show)}`),
  locations: [locationOf(each)],
})

const told = (level: Notification.level, id: string, text: string): Notification => ({
  descriptor: { id },
  level,
  message: { text },
})

const show = (text: string): string => inertSarif(cut(text, longest))

function resultOf(finding: Finding, { annotator, baseline }: CheckReport, ruleIndex: number): Result {
  const { rule, level, state, key, at, related, properties } = finding
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: finding.text() },
    locations: [locationOf(at)],
    ...(related && { relatedLocations: related.map((each, id) => ({ id, ...locationOf(each) })) }),
    // GitHub goes by a hash of the line, which its upload adds, and warns of any other under that name.
    partialFingerprints: { 'svcFinding/v1': hashOf([annotator, rule, ...key]) },
    ...(baseline && { baselineState: state }),
    properties: { annotator, ...properties() },
  }
}

const hashOf = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)

/** GitHub refuses a region without a line. */
function locationOf(at: Finding['at']): Location {
  const { path, line, column } = placeInRepository(at) ?? { path: '-', line: null, column: null }
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(path) },
      region: { startLine: Math.max(1, line ?? 1), ...(line !== null && column !== null && { startColumn: column }) },
    },
  }
}

/**
 * A path as a URI reference. A backslash is taken for the separator of Windows, which it is far oftener than a character
 * of a name.
 */
export function uriOf(path: string): string {
  const parts = path
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\\', '/')
    .split('/')
  const isDrive = /^[A-Za-z]:$/.test(parts[0] ?? '') && parts.length > 1
  const encoded = parts.map((part, at) => (isDrive && at === 0 ? part : encodeURIComponent(part))).join('/')
  if (isDrive) return `file:///${encoded}`
  return encoded.startsWith('/') ? `file://${encoded.replace(/^\/+/, '/')}` : encoded
}

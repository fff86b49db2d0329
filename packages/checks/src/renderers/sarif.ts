import { count, cut, escapeJson, firstLines } from '@svc/text'
import type { Location, Log, Notification, ReportingDescriptor, Result, Run } from 'sarif'
import { contentKey, isSameTranscript } from '../identity.js'
import {
  type CheckReport,
  caseTitle,
  errorLines,
  evidenceText,
  failsCheck,
  gapText,
  hitTexts,
  maxExcerpt,
  type Named,
  noteLines,
  type RateReport,
  type ReportCase,
  type ReportSignal,
  rateText,
  reasonText,
  type Titled,
} from '../report/index.js'
import { pick } from '../values.js'
import { escapeSarif } from './escape.js'
import { findingId, placeInRepository } from './from-root.js'

/** The largest number of results that GitHub accepts in a run. */
const mostResults = 25_000

const head: Pick<Log, '$schema' | 'version'> = {
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
}

/** A report `fromRoot` as SARIF 2.1.0: results are new and known failures, notifications are gaps. */
export function* sarif(report: CheckReport): Generator<string> {
  const all = [...findingsOf(report)]
  const findings = gravest(all)
  const rules = new Map([...new Set(findings.map(({ rule }) => rule))].map((rule, at) => [rule, at]))
  const run = escapeJson(runOf(report, [...rules.keys()], all.length - findings.length))
  yield `${escapeJson(head).slice(0, -1)},"runs":[${run.slice(0, -1)},"results":[`
  for (const [at, finding] of findings.entries())
    yield `${at > 0 ? ',' : ''}\n${escapeJson(resultOf(finding, report, rules.get(finding.rule) ?? -1))}`
  yield `${findings.length > 0 ? '\n' : ''}]}]}\n`
}

function gravest(all: Finding[]): Finding[] {
  if (all.length <= mostResults) return all
  const byLevel = (['error', 'warning', 'note'] as const).flatMap((level) => all.filter((each) => each.level === level))
  const kept = new Set(byLevel.slice(0, mostResults))
  return all.filter((each) => kept.has(each))
}

const propertyNames = [
  'annotator',
  'versions',
  'verdict',
  'line',
  'total',
  'judged',
  'requests',
  'usage',
  'svc_versions',
  'service',
  'paths',
  'options',
  'attempts',
  'confirm_on_fail',
  'commit',
  'selection',
  'shard',
  'slices',
  'cost',
] as const

function runOf(report: CheckReport, rules: readonly string[], left: number): Omit<Run, 'results'> {
  const { annotator, verdict, exit, ended_at } = report
  const version = report.svc_versions.at(-1)
  return {
    tool: {
      driver: { name: 'svc check', ...(version && { version, semanticVersion: version }), rules: rules.map(ruleOf) },
    },
    automationDetails: { id: `svc check/${annotator}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: verdict !== 'not judged',
        exitCode: exit,
        ...(ended_at && { endTimeUtc: ended_at }),
        toolExecutionNotifications: notificationsOf(report, left),
      },
    ],
    properties: pick(report, propertyNames),
  }
}

function notificationsOf(report: CheckReport, left: number): Notification[] {
  const { cases, rates, baseline, error, line } = report
  const cutOff = `${count(left, 'result')} left out: a run may have ${mostResults}. The other reports have them all.`
  return [
    ...(left > 0 ? [notification('warning', 'results left out', cutOff)] : []),
    ...(error ? [notification('error', error.kind, [escaped(line), ...errorLines(error, escaped)].join('\n'))] : []),
    ...cases.flatMap((each) => (each.gap ? [gapNotification(each, each.gap)] : [])),
    ...rates
      .filter(({ verdict }) => verdict === 'cannot tell')
      .map((rate) => notification('error', 'rate', escapeSarif(rateText(rate)))),
    ...noteLines(report, escaped).map((note) => notification('note', 'note', note)),
    ...(baseline?.missing ?? []).map((each) =>
      notification('note', 'not found', `${nameOf(each)} is in the baseline and was not found.`),
    ),
    ...(baseline?.stale
      ? [notification('note', 'baseline', `The baseline is out of date: ${escaped(baseline.stale)}.`)]
      : []),
  ]
}

const gapNotification = (each: ReportCase, gap: NonNullable<ReportCase['gap']>): Notification => ({
  ...notification(gap.temporary ? 'warning' : 'error', gap.why, `${nameOf(each)}: ${gapText(gap, escaped)}`),
  locations: [locationOf(each)],
})

const notification = (level: Notification.level, id: string, text: string): Notification => ({
  descriptor: { id },
  level,
  message: { text },
})

const escaped = (text: string): string => escapeSarif(cut(text, maxExcerpt))

function resultOf(finding: Finding, { annotator, baseline }: CheckReport, ruleIndex: number): Result {
  const { rule, level, state, key, at, related, properties } = finding
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: finding.text },
    locations: [locationOf(at)],
    ...(related && { relatedLocations: related.map((each, id) => ({ id, ...locationOf(each) })) }),
    // GitHub computes `primaryLocationLineHash` itself, and warns about any other value.
    partialFingerprints: { 'svcFinding/v1': findingId([annotator, rule, ...key]) },
    ...(baseline && { baselineState: state }),
    properties: { annotator, ...properties },
  }
}

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

/** A path as a URI reference. `fromRoot` has replaced the separators of Windows, so a backslash is part of a name. */
export function uriOf(path: string): string {
  const parts = path.replace(/\p{Surrogate}/gu, '\ufffd').split('/')
  const isDrive = /^[A-Za-z]:$/.test(parts[0] ?? '') && parts.length > 1
  const encoded = parts.map((part, at) => (isDrive && at === 0 ? part : encodeURIComponent(part))).join('/')
  if (isDrive) return `file:///${encoded}`
  return encoded.startsWith('/') ? `file://${encoded.replace(/^\/+/, '/')}` : encoded
}

type State = 'new' | 'updated' | 'unchanged'

interface Finding {
  rule: string
  level: 'error' | 'warning' | 'note'
  state: State
  /** The values that identify the finding among those of its rule, from run to run. */
  key: readonly (string | number)[]
  at: { path: string; line: number | null; column: number | null }
  /** The first places, if there are several. */
  related?: Finding['at'][]
  text: string
  properties: Result['properties']
}

/** Failures, known failures and warnings in the order of the input; then rates. */
function* findingsOf(report: CheckReport): Generator<Finding> {
  for (const each of report.cases) {
    if (each.result === 'failed' || each.result === 'known') yield* brokenBy(each)
    else if (each.result === 'warned') {
      const text = `${nameOf(each)}: the outcome is ${escaped(each.outcome ?? '')}.${notesOf(each)}`
      yield { ...ofCase(each), rule: 'outcome', level: 'warning', text }
    }
  }
  for (const rate of report.rates) if (rate.verdict === 'exceeded') yield ofRate(rate, report)
}

function ruleOf(id: string): ReportingDescriptor {
  const [, kind, signal = ''] = /^(signal|missing)\/(.*)$/s.exec(id) ?? []
  const text =
    kind === 'signal'
      ? `The signal ${escaped(signal)} fired in a transcript that the check fails.`
      : kind === 'missing'
        ? `The signal ${escaped(signal)} is required, and did not fire.`
        : id === 'rate'
          ? 'A larger share of the transcripts is of a kind than the policy allows.'
          : 'The outcome of a transcript is one that the policy fails or warns of.'
  const level = 'error'
  return { id, shortDescription: { text }, fullDescription: { text }, help: { text }, defaultConfiguration: { level } }
}

function* brokenBy(each: ReportCase): Generator<Finding> {
  const about = new Map(each.reasons.flatMap((reason) => ('signal' in reason ? [[reason.signal, reason]] : [])))
  for (const reason of each.reasons) {
    if (reason.rule !== 'outcome' && reason.rule !== 'required') continue
    const rule = reason.rule === 'outcome' ? 'outcome' : `missing/${reason.signal}`
    const text = `${nameOf(each)}: ${reasonText(reason, escaped)}.${notesOf(each)}`
    yield { rule, text, ...ofCase(each), ...levelAndState(each, reason.known) }
  }
  const nth = new Map<string, number>()
  for (const signal of each.signals) {
    const { key } = signal
    const reason = about.get(key)
    const times = (nth.get(key) ?? 0) + 1
    nth.set(key, times)
    const what = reason ? reasonText(reason, escaped) : `the signal ${escaped(key)} fired`
    const text = `${nameOf(each)}: ${what}: ${evidenceText(signal, escaped)}`
    yield {
      rule: `signal/${key}`,
      text,
      ...ofCase(each, signal, times),
      ...levelAndState(each, reason?.known === true),
    }
  }
}

/** The common fields of a transcript's findings, at a signal or at its start. */
function ofCase(each: ReportCase, signal?: ReportSignal, nth = 1): Omit<Finding, 'rule' | 'level' | 'text'> {
  const { path, record, part, name, sha256, outcome, annotator_version, taxonomy_version, flaky } = each
  const at = signal?.line == null ? each : signal
  return {
    state: stateOf(each),
    key: [contentKey(each), each.occurrence, nth],
    at: { path, line: at.line, column: at.column },
    properties: {
      name,
      record,
      part,
      sha256,
      outcome,
      annotator_version,
      taxonomy_version,
      ...(signal && { turn: signal.turn }),
      ...(flaky && { flaky }),
    },
  }
}

const levelAndState = (each: ReportCase, isKnown: boolean): Pick<Finding, 'level' | 'state'> =>
  isKnown || each.result === 'known' ? { level: 'note', state: 'unchanged' } : { level: 'error', state: stateOf(each) }

const stateOf = ({ result, change }: ReportCase): State =>
  change === 'new' ? 'new' : result === 'known' || change === 'same' ? 'unchanged' : 'updated'

/** Further transcripts of a rate are related locations, and then only properties. */
const mostNamed = 10
const mostRelated = 100

/** A rate has no place, but services require one: the first transcript that counts. */
function ofRate(rate: RateReport, { cases }: CheckReport): Finding {
  const { of, max, before, hits, n, culprits } = rate
  const placeOfCulprit = (culprit: Named): Finding['at'] => {
    const { line, column } = cases.find((each) => isSameTranscript(each, culprit)) ?? { line: null, column: null }
    return { path: culprit.path, line, column }
  }
  const related = culprits.slice(0, mostRelated).map(placeOfCulprit)
  const names = hitTexts(rate, cases, escaped)
  return {
    rule: 'rate',
    level: failsCheck(rate) ? 'error' : 'note',
    state: before === null ? 'new' : failsCheck(rate) ? 'updated' : 'unchanged',
    key: [...('signal' in of ? ['signal', of.signal] : ['outcome', of.outcome]), max],
    at: related[0] ?? { path: '', line: null, column: null },
    related,
    text: `${escapeSarif(rateText(rate))}: ${firstLines(names, mostNamed).join('; ')}`,
    properties: { hits, n, max, culprits },
  }
}

const nameOf = (each: Titled): string => `“${escaped(caseTitle(each))}”`

const notesOf = ({ outcome_notes }: ReportCase): string => (outcome_notes ? ` ${escaped(outcome_notes)}` : '')

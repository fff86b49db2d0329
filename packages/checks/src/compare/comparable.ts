import { canonicalJson, cut, escapeLine } from '@svc/text'
import { CheckError } from '../check-error.js'
import { plainPath } from '../identity.js'
import type { CheckReport, Comparison, NamedReport, Policy, ReportCase } from '../report/index.js'
import { digestOf, pick } from '../values.js'

/** A setting in which two reports differ, such as `policy.failOn`. */
interface Difference {
  what: string
  values: readonly [string, string]
}

/** What a key of a policy decides: whether a transcript fails, whether the check does, or how far the run goes. */
const decides: Record<keyof Policy, 'transcript' | 'check' | 'run'> = {
  failOn: 'transcript',
  forbidden: 'transcript',
  allowed: 'transcript',
  required: 'transcript',
  indeterminate: 'transcript',
  overrides: 'transcript',
  custom: 'transcript',
  rates: 'check',
  tags: 'check',
  confidence: 'check',
  minJudged: 'check',
  maxDrop: 'check',
  cluster: 'check',
  deadlineMs: 'run',
  maxTokens: 'run',
  maxCost: 'run',
  maxFailures: 'run',
  prices: 'run',
}

const keysThatDecide = (...what: readonly (typeof decides)[keyof Policy][]) =>
  (Object.keys(decides) as (keyof Policy)[]).filter((key) => what.includes(decides[key]))

const text = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : canonicalJson(value)

const difference = (what: string, one: unknown, other: unknown): Difference[] =>
  text(one) === text(other) ? [] : [{ what, values: [text(one), text(other)] }]

const inJudge = (a: CheckReport, b: CheckReport): Difference[] => [
  ...(['annotator', 'attempts', 'confirm_on_fail'] as const).flatMap((field) => difference(field, a[field], b[field])),
  // A shard without transcripts asked nothing.
  ...(['service', 'options'] as const).flatMap((field) =>
    isEmptyShard(a) || isEmptyShard(b) ? [] : difference(field, a[field], b[field]),
  ),
]

const inRequests = (a: CheckReport, b: CheckReport): Difference[] => [
  ...inJudge(a, b),
  ...difference('selection', ruleOf(a), ruleOf(b)),
  ...difference('filters', a.filters, b.filters),
]

const isEmptyShard = ({ shard, total }: CheckReport): boolean => shard !== undefined && total === 0

function ruleOf({ selection }: CheckReport): unknown {
  const { not_selected, ...rule } = selection ?? {}
  return selection && rule
}

const inPolicy = (a: CheckReport, b: CheckReport, fields: readonly (keyof Policy)[]): Difference[] =>
  fields.flatMap((field) => difference(`policy.${field}`, a.policy[field], b.policy[field]))

/** A report without answers is comparable to any version. */
const inVersions = (a: CheckReport, b: CheckReport): Difference[] =>
  a.versions.length === 0 || b.versions.length === 0
    ? []
    : difference('annotator version', versionsText(a), versionsText(b))

const versionsText = ({ versions }: CheckReport): string =>
  versions
    .map(({ annotator_version, taxonomy_version }) => `${annotator_version} with taxonomy ${taxonomy_version}`)
    .sort()
    .join(', ')

const settings = (all: readonly Difference[]): Comparison['judge'] =>
  all.map(({ what, values: [old, now] }) => ({ what, old, new: now }))

/** The name of a difference: of several runs of a transcript that were merged, the worse result counts. */
export const repeatedRuns = 'merged runs of a transcript'

/** The number of runs that asked about a transcript. */
export const runsOf = ({ runs = 1 }: ReportCase): number => Math.max(1, runs)

const inRuns = (a: CheckReport, b: CheckReport): Difference[] => {
  const [ofA, ofB] = [a, b].map(({ cases }) => cases.reduce((most, each) => Math.max(most, runsOf(each)), 1))
  return difference(repeatedRuns, ofA, ofB)
}

/** The settings in which the judges of two reports differ. */
export const judgeDifferences = (a: CheckReport, b: CheckReport): Comparison['judge'] =>
  settings([...inVersions(a, b), ...inRuns(a, b), ...inJudge(a, b)])

/** The rules by which a transcript fails, in which two reports differ. */
export const ruleDifferences = (a: CheckReport, b: CheckReport): Comparison['judge'] =>
  settings(inPolicy(a, b, keysThatDecide('transcript')))

function inBaselines({ baseline: a }: CheckReport, { baseline: b }: CheckReport): Difference[] {
  if (!a || !b) return difference('baseline', a?.path ?? 'none', b?.path ?? 'none')
  // Each part of a run that writes its baseline has its own content.
  if (a.updated || b.updated || a.sha256 === null || b.sha256 === null) return []
  return difference('content of the baseline (SHA-256)', a.sha256, b.sha256)
}

/** Shards of other inputs would each leave a transcript to the others. */
const inShards = ({ shard: a }: CheckReport, { shard: b }: CheckReport): Difference[] =>
  a && b
    ? [
        ...difference('number of shards', a.count, b.count),
        ...difference('transcripts of all shards', a.total, b.total),
        ...difference('content of all shards (SHA-256)', a.input, b.input),
      ]
    : []

/** @throws {CheckError} unless all reports were judged alike */
export function refuseUnmergeable(parts: readonly [NamedReport, ...NamedReport[]]): void {
  const first = parts.find(({ report }) => !isEmptyShard(report)) ?? parts[0]
  const others = parts.filter((each) => each !== first)
  const answered = parts.find(({ report }) => report.versions.length > 0) ?? first
  const sharded = parts.find(({ report }) => report.shard) ?? first
  const details = others.flatMap((other) => [
    ...lines(first, other, [
      ...inRequests(first.report, other.report),
      ...inPolicy(first.report, other.report, keysThatDecide('transcript', 'check')),
      ...inBaselines(first.report, other.report),
      ...difference('reference (SHA-256)', first.report.reference?.sha256, other.report.reference?.sha256),
    ]),
    ...lines(answered, other, inVersions(answered.report, other.report)),
    ...lines(sharded, other, inShards(sharded.report, other.report)),
  ])
  refuse(
    details,
    'merge reports of the same service, annotator, policy, baseline and reference; check again where they differ',
  )
}

function refuse(details: string[], hint: string): void {
  if (details.length > 0) throw new CheckError('not_comparable', 'The reports are not comparable.', { details, hint })
}

const lines = (a: NamedReport, b: NamedReport, all: readonly Difference[]): string[] =>
  all.map(({ what, values: [one, other] }) => `${what}: ${start(one)} in ${a.from}, ${start(other)} in ${b.from}`)

const start = (value: string): string => cut(escapeLine(value), 60)

export type Source = NonNullable<CheckReport['merged_from']>[number]

/** The reports behind a report: those that it was merged from, or itself. */
export const sourcesOf = ({ from, report }: NamedReport): Source[] =>
  report.merged_from ?? [{ from, sha256: digestOf(canonicalJson(report)), ...pick(report, ['ended_at', 'commit']) }]

type Placed = Pick<ReportCase, 'path' | 'record' | 'part'>

export const isSamePlace = (a: Placed, b: Placed): boolean =>
  plainPath(a.path) === plainPath(b.path) && a.record === b.record && a.part === b.part

export const byPlace = (a: Placed, b: Placed): number =>
  compare(plainPath(a.path), plainPath(b.path)) || a.record - b.record || a.part - b.part || compare(a.path, b.path)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

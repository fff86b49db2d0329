import type { CheckReport, Policy } from '@svc/report-viewer'
import { canonicalJson } from '../../canonical.js'
import { CliError, exit } from '../../exit.js'
import { cut, inert } from '../../terminal/index.js'

/** Something that two reports were not made alike in, in words. */
interface Difference {
  /** As in `annotator`, or `policy.failOn`. */
  what: string
  values: readonly [string, string]
}

const unlike = (what: string, values: readonly [string, string]): Difference[] =>
  values[0] === values[1] ? [] : [{ what, values }]

const annotators = (a: CheckReport, b: CheckReport): Difference[] => unlike('annotator', [a.annotator, b.annotator])

/** What the transcripts were held to; what was to be spent judges nothing. */
export const policies = (a: CheckReport, b: CheckReport, fields: readonly (keyof Policy)[]): Difference[] =>
  fields.flatMap((field) => unlike(`policy.${field}`, [shown(a.policy[field]), shown(b.policy[field])]))

/** What says which transcript fails. */
const ruleFields = ['failOn', 'forbidden', 'allowed', 'required', 'indeterminate', 'overrides'] as const
/** What says which share of them may. */
export const shareFields = ['rates', 'confidence', 'minJudged'] as const

/** Reports without an answer go with those of any version. */
const versions = (a: CheckReport, b: CheckReport): Difference[] =>
  a.versions.length === 0 || b.versions.length === 0
    ? []
    : unlike('annotator version', [versionsText(a), versionsText(b)])

const versionsText = ({ versions }: CheckReport): string =>
  versions
    .map(({ annotator_version, taxonomy_version }) => `${annotator_version} with taxonomy ${taxonomy_version}`)
    .sort()
    .join(', ')

/** The facts on which the answers depend, beside the annotator. */
const circumstances = (a: CheckReport, b: CheckReport): Difference[] =>
  (['service', 'options', 'attempts', 'confirm_on_fail'] as const).flatMap((field) =>
    unlike(field, [shown(a[field]), shown(b[field])]),
  )

/** What two reports must agree in before what they say of transcripts can be compared. */
export const differences = (a: CheckReport, b: CheckReport): Difference[] => [
  ...annotators(a, b),
  ...versions(a, b),
  ...circumstances(a, b),
  ...policies(a, b, ruleFields),
]

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : canonicalJson(value)

/** A report, and the name by which it is spoken of. */
export interface NamedReport {
  from: string
  report: CheckReport
}

/** Refuses to make one of reports that were not judged alike. */
export function refuseUnmergeable(parts: readonly NamedReport[]): void {
  const [first, ...others] = parts
  if (!first) return
  const answered = parts.find(({ report }) => report.versions.length > 0) ?? first
  const details = others.flatMap((other) => [
    ...said(first, other, [
      ...annotators(first.report, other.report),
      ...circumstances(first.report, other.report),
      ...policies(first.report, other.report, [...ruleFields, ...shareFields]),
      ...baselines(first.report, other.report),
    ]),
    ...said(answered, other, versions(answered.report, other.report)),
  ])
  if (details.length === 0) return
  throw new CliError(exit.notJudged, 'The reports are not comparable.', {
    details,
    hint: 'merge reports of one service, annotator, policy and baseline, asked alike; check again where they differ',
  })
}

/** Refuses to compare reports that were not made alike. */
export function refuseIncomparable(before: NamedReport, after: NamedReport): void {
  const details = said(before, after, differences(before.report, after.report))
  if (details.length === 0) return
  throw new CliError(exit.notJudged, 'The reports are not comparable.', {
    details,
    hint: 'compare reports of checks that were made alike; --anyway shows what changed all the same',
  })
}

const said = (a: NamedReport, b: NamedReport, all: readonly Difference[]): string[] =>
  all.map(({ what, values: [one, other] }) => `${what}: ${startOf(one)} in ${a.from}, ${startOf(other)} in ${b.from}`)

/** The start of a value, on the one line that a detail of an error has. */
const startOf = (value: string): string => cut(inert(value), 60)

function baselines(a: CheckReport, b: CheckReport): Difference[] {
  const [one, other] = [a.baseline?.path ?? 'none', b.baseline?.path ?? 'none']
  if (!a.baseline || !b.baseline) return one === other ? [] : [{ what: 'baseline', values: [one, other] }]
  const [from, to] = [a.baseline.sha256, b.baseline.sha256]
  // Each part of a run that writes its baseline has one of its own.
  if (a.baseline.updated || b.baseline.updated || from === null || to === null || from === to) return []
  return [{ what: 'content of the baseline (SHA-256)', values: [from, to] }]
}

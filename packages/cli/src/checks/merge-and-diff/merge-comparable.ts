import { CliError, exit } from '../../exit.js'
import { cut, inert } from '../../text.js'
import type { CheckReport } from '../report.js'
import {
  annotators,
  circumstances,
  differences,
  policies,
  ruleFields,
  shareFields,
  type Unlike,
  versions,
} from './comparable.js'

/** A report, and the name by which it is spoken of. */
export interface NamedReport {
  from: string
  report: CheckReport
}

/** Refuses to make one of reports that were not judged alike. */
export function refuseOthers(parts: readonly NamedReport[]): void {
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

const said = (a: NamedReport, b: NamedReport, all: readonly Unlike[]): string[] =>
  all.map(({ what, values: [one, other] }) => `${what}: ${shown(one)} in ${a.from}, ${shown(other)} in ${b.from}`)

/** The start of a value, on the one line that a detail of an error has. */
const shown = (value: string): string => cut(inert(value), 60)

function baselines(a: CheckReport, b: CheckReport): Unlike[] {
  const [one, other] = [a.baseline?.path ?? 'none', b.baseline?.path ?? 'none']
  if (!a.baseline || !b.baseline) return one === other ? [] : [{ what: 'baseline', values: [one, other] }]
  const [from, to] = [a.baseline.sha256, b.baseline.sha256]
  // An earlier version did not record it, and each part of a run that writes its baseline has one of its own.
  if (a.baseline.updated || b.baseline.updated || from === null || to === null || from === to) return []
  return [{ what: 'content of the baseline (SHA-256)', values: [from, to] }]
}

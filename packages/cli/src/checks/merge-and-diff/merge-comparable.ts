import { canonicalJson } from '../../canonical.js'
import { CliError, exit } from '../../exit.js'
import { cut } from '../../text.js'
import type { CheckReport } from '../report.js'
import { annotators, policies, ruleFields, shareFields, type Unlike, versions } from './comparable.js'

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
      ...policies(first.report, other.report, [...ruleFields, ...shareFields]),
      ...baselines(first.report, other.report),
    ]),
    ...said(answered, other, versions(answered.report, other.report)),
  ])
  if (details.length === 0) return
  throw new CliError(exit.notJudged, 'The reports are not comparable.', {
    details,
    hint: 'merge reports of one annotator, one policy and one baseline; check again where they differ',
  })
}

const said = (a: NamedReport, b: NamedReport, all: readonly Unlike[]): string[] =>
  all.map(({ what, values: [one, other] }) => `${what}: ${cut(one, 60)} in ${a.from}, ${cut(other, 60)} in ${b.from}`)

function baselines(a: CheckReport, b: CheckReport): Unlike[] {
  const [one, other] = [a.baseline?.path ?? 'none', b.baseline?.path ?? 'none']
  if (!a.baseline || !b.baseline) return one === other ? [] : [{ what: 'baseline', values: [one, other] }]
  const shares = [a, b].map(({ rates }) => canonicalJson(rates.map(({ before }) => before)))
  return shares[0] === shares[1] ? [] : [{ what: 'shares in the baseline', values: [shares[0] ?? '', shares[1] ?? ''] }]
}

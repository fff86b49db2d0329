import type { ReportCase } from '../report.js'
import type { Baseline, BaselineEntry, Identity } from './baseline.js'

/** Everything that a check found, as accepted; nothing where anything is missing, or where answers are of several versions. */
export function foundBaseline(
  made: Pick<Baseline, 'annotator' | 'options'>,
  identities: readonly Identity[],
  cases: readonly ReportCase[],
): Baseline | undefined {
  const [first] = cases
  if (first?.annotator_version == null || first.taxonomy_version === null) return undefined
  const { annotator_version, taxonomy_version } = first
  const transcripts: BaselineEntry[] = []
  for (const [index, each] of cases.entries()) {
    const isOf = each.annotator_version === annotator_version && each.taxonomy_version === taxonomy_version
    const identity = identities[index]
    if (each.result === 'not judged' || !isOf || each.outcome === null || !identity) return undefined
    const { name, outcome, signals } = each
    transcripts.push({ ...identity, name, outcome, signals: signals.map(({ key }) => key).sort() })
  }
  const options = Object.keys(made.options ?? {}).length > 0 ? { options: made.options } : {}
  const head = { schema: 'svc/baseline@1' as const, annotator: made.annotator, annotator_version, taxonomy_version }
  return { ...head, ...options, transcripts }
}

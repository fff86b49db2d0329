import { CheckError } from '../check-error.js'
import type { CheckReport, ReportCase } from '../report/index.js'
import { digestOf } from '../values.js'
import { type Label, type Stratum, strata } from './label-file.js'

/** The verdict of a transcript for a comparison with labels: `neither` if it is not judged, or has no outcome on the scale. */
export type LabelledVerdict = Stratum | 'neither'

/** A failure that the baseline knows is a failure here. */
const verdictOf = ({ result }: Pick<ReportCase, 'result'>): LabelledVerdict =>
  result === 'failed' || result === 'known' ? 'failed' : result === 'passed' ? 'passed' : 'neither'

const order: readonly LabelledVerdict[] = ['failed', 'passed', 'neither']

/** The verdict of each content of a report; of equal transcripts the worst one. */
export function verdictsOf({ cases }: Pick<CheckReport, 'cases'>): ReadonlyMap<string, LabelledVerdict> {
  const verdicts = new Map<string, LabelledVerdict>()
  for (const each of cases) {
    if (each.sha256 === null || each.outcome === null) {
      if (each.sha256 !== null && !verdicts.has(each.sha256)) verdicts.set(each.sha256, 'neither')
      continue
    }
    const [before, now] = [verdicts.get(each.sha256), verdictOf(each)]
    if (before === undefined || order.indexOf(now) < order.indexOf(before)) verdicts.set(each.sha256, now)
  }
  return verdicts
}

/** Options of `sampleReport`. */
export interface SampleOptions {
  /** The number of transcripts: half of them failing, half passing. Default: 60. */
  size?: number | undefined
  /** Another seed draws another sample. Default: `0`. */
  seed?: string | undefined
}

/** Transcripts of a report that are drawn to be labelled. */
export interface LabelSample {
  /** Identifies the sample: it depends on the report, the size and the seed. */
  id: string
  /** The transcripts in an order that does not show their verdicts. */
  cases: readonly { case: ReportCase; stratum: NonNullable<Label['stratum']> }[]
}

/**
 * Draw failing and passing transcripts of a report, equal ones once, for people to label.
 *
 * @throws {CheckError} if the report has no turns, or no transcript that passes or fails
 */
export function sampleReport(report: CheckReport, { size = 60, seed = '0' }: SampleOptions = {}): LabelSample {
  const verdicts = verdictsOf(report)
  const byContent = new Map<string, ReportCase>()
  for (const each of report.cases)
    if (each.sha256 !== null && !byContent.has(each.sha256)) byContent.set(each.sha256, each)
  const contents = (stratum: Stratum) =>
    [...verdicts].flatMap(([sha256, verdict]) => (verdict === stratum ? sha256 : []))
  const all = { failed: contents('failed'), passed: contents('passed') }
  const id = digestOf(JSON.stringify([all.failed.toSorted(), all.passed.toSorted(), size, seed])).slice(0, 16)
  const ranked = (of: readonly string[], as: string) =>
    of.toSorted((a, b) => (digestOf(`${as}\n${seed}\n${a}`) < digestOf(`${as}\n${seed}\n${b}`) ? -1 : 1))
  const sizes = { failed: Math.ceil(size / 2), passed: Math.floor(size / 2) }
  const drawn = strata.flatMap((name) => {
    const chosen = ranked(all[name], 'draw').slice(0, sizes[name])
    const stratum = { name, of: id, total: all[name].length, drawn: chosen.length }
    return chosen.map((sha256) => ({ sha256, stratum }))
  })
  if (drawn.length === 0)
    throw new CheckError('nothing_to_label', 'The report has no transcript that passes or fails.', {
      hint: 'give the report of a check that judged transcripts',
    })
  const stratumOf = new Map(drawn.map(({ sha256, stratum }) => [sha256, stratum]))
  const cases = ranked([...stratumOf.keys()], 'show').flatMap((sha256) => {
    const [drawnCase, stratum] = [byContent.get(sha256), stratumOf.get(sha256)]
    return drawnCase && stratum ? [{ case: drawnCase, stratum }] : []
  })
  if (cases.some((each) => !each.case.turns))
    throw new CheckError('nothing_to_label', 'The report has no turns to show.', {
      hint: 'check again with --report json=FILE --with-turns: the annotations are in the cache',
    })
  return { id, cases }
}

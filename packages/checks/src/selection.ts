import { isSamePath, withKeys } from './compare/index.js'
import { fieldValues } from './judge/index.js'
import type { CheckReport, ReportCase, Selection } from './report/index.js'
import type { Conversation } from './transcript.js'
import { digestOf } from './values.js'

export interface SelectionRule extends Omit<Selection, 'not_selected' | 'only_failed'> {
  /** The report whose failed, known and not judged transcripts are checked, and its path. */
  onlyFailed: { path: string; report: CheckReport } | undefined
}

export interface Candidate {
  conversation: Conversation
  /** SHA-256 of its content in hex. */
  sha256: string
}

/** For each candidate, true if it is selected. The sample is taken of those that pass the other rules. */
export function select(candidates: readonly Candidate[], rule: SelectionRule): boolean[] {
  const failed = rule.onlyFailed && failedKeys(rule.onlyFailed.report)
  const keyed = withKeys(candidates.map(placeOf))
  const passing = candidates.map(
    ({ conversation }, at) =>
      Object.entries(rule.where).every(([name, value]) => fieldValues(conversation, name).includes(value)) &&
      (failed === undefined || failed.has(keyed[at]?.key ?? '')),
  )
  const { sample, seed } = rule
  if (sample === null) return passing
  // By content, so that the choice does not depend on the names and the order of files.
  const ranks = candidates.map(({ sha256 }) => digestOf(`${seed}\n${sha256}`))
  const order = [...candidates.keys()]
    .filter((at) => passing[at])
    .sort((a, b) => ((ranks[a] ?? '') < (ranks[b] ?? '') ? -1 : ranks[a] === ranks[b] ? a - b : 1))
  const chosen = new Set(order.slice(0, sample))
  return passing.map((_, at) => chosen.has(at))
}

/** True if a file that could not be read as a transcript is selected. Its content is not known, so only its path counts. */
export const selectsUnread = (path: string, { onlyFailed }: SelectionRule): boolean =>
  onlyFailed === undefined || onlyFailed.report.cases.some((each) => isFailing(each) && isSamePath(each.path, path))

const placeOf = ({ conversation: { source, transcript, part } }: Candidate) => ({
  path: source.path,
  record: transcript.place.record,
  part,
})

const isFailing = ({ result }: ReportCase): boolean => ['failed', 'known', 'not judged'].includes(result)

const failedKeys = ({ cases }: CheckReport): Set<string> =>
  new Set(withKeys(cases).flatMap(({ key, each }) => (isFailing(each) ? [key] : [])))

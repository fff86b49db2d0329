import { matchContent, plainPath } from './identity.js'
import { fieldValues } from './judge/index.js'
import type { CheckReport, Gap, ReportCase, Selection } from './report/index.js'
import type { Conversation, Unread } from './transcript.js'
import { digestOf, pick } from './values.js'

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
export function select(
  candidates: readonly Candidate[],
  { where, sample, seed }: Omit<SelectionRule, 'onlyFailed'>,
  isWanted: (at: number) => boolean = () => true,
): boolean[] {
  const passing = candidates.map(
    ({ conversation }, at) =>
      Object.entries(where).every(([name, value]) => fieldValues(conversation, name).includes(value)) && isWanted(at),
  )
  if (sample === null) return passing
  // By content, so that the choice does not depend on the names and the order of files.
  const ranks = candidates.map(({ sha256 }) => digestOf(`${seed}\n${sha256}`))
  const order = [...candidates.keys()]
    .filter((at) => passing[at])
    .sort((a, b) => ((ranks[a] ?? '') < (ranks[b] ?? '') ? -1 : ranks[a] === ranks[b] ? a - b : 1))
  const chosen = new Set(order.slice(0, sample))
  return passing.map((_, at) => chosen.has(at))
}

/** The transcripts and unread files to check again, and what failed or was not judged and is not found again. */
export interface Recheck {
  isWanted(at: number): boolean
  unread: Unread[]
  notFound: Unread[]
}

/**
 * Find what failed, was known or was not judged in an earlier report, by its content. New content in a file of which some is
 * not found is checked too, but does not stand for it.
 */
export function recheck(
  candidates: readonly Candidate[],
  unread: readonly Unread[],
  { path: from, report }: NonNullable<SelectionRule['onlyFailed']>,
): Recheck {
  const now = [...candidates.map(placed), ...unread.map((each) => ({ part: 1, ...each }))]
  // Of equal transcripts those that failed are found first.
  const failing = report.cases.filter(isFailing)
  const { entries, missing } = matchContent([...failing, ...report.cases.filter((each) => !isFailing(each))], now)
  const gone = missing.filter(isFailing)
  const pathsGone = new Set(gone.map(({ path }) => plainPath(path)))
  const paths = new Set(now.map(({ path }) => plainPath(path)))
  const isWanted = (at: number) => {
    const [before, each] = [entries[at], now[at]]
    return before ? isFailing(before) : each !== undefined && pathsGone.has(plainPath(each.path))
  }
  // A file that could not be read is found by its path: it may be repaired now.
  const isFound = ({ gap, path }: ReportCase) => gap !== null && isOfInput(gap) && paths.has(plainPath(path))
  return {
    isWanted,
    unread: unread.filter((_, at) => isWanted(candidates.length + at)),
    notFound: gone
      .filter((each) => each.result !== 'known' && !isFound(each))
      .map((each) => ({
        ...pick(each, ['path', 'record', 'part', 'name', 'sha256']),
        ...{ at: undefined, why: 'not found', after: candidates.length },
        detail: `${each.result} in ${from}, and its content is not found again; check all transcripts`,
      })),
  }
}

const placed = ({ conversation: { source, transcript, part }, sha256 }: Candidate) => ({
  path: source.path,
  record: transcript.place.record,
  part,
  external_id: transcript.externalId,
  sha256,
})

const isFailing = ({ result }: ReportCase): boolean => ['failed', 'known', 'not judged'].includes(result)

const isOfInput = ({ why }: Gap): boolean =>
  ['no transcript', 'unreadable', 'incomplete', 'broken link', 'link not followed'].includes(why)

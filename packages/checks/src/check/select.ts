import { shardOfHash } from '@svc/text'
import { contentKey, matchContent, plainPath } from '../identity.js'
import { fieldValues } from '../judge/index.js'
import {
  type CheckReport,
  isInputGap,
  type NamedReport,
  type Policy,
  type ReportCase,
  type ReportShard,
  type Selection,
} from '../report/index.js'
import type { Conversation, Unread } from '../transcript.js'
import { digestOf, pick } from '../values.js'
import type { StoredList } from './stored.js'

/** Which transcripts are checked, of those of the input. */
export interface SelectionRule {
  /** The size of a sample, chosen by content. Default: no sample. */
  sample?: number | undefined
  /** Another seed chooses another sample. Default: `0`. */
  seed?: string | undefined
  /** The value of each field, or of metadata with this name, that a transcript must have. Default: none. */
  where?: Readonly<Record<string, string>> | undefined
  /** Of these, what failed, was known or was not judged in an earlier report. Default: all. */
  onlyFailed?: NamedReport | undefined
}

/** One of several checks that share their input, as `shardOf` of `@svc/bulk` gives it. Each reads all of it, and judges its part. */
export interface Shard {
  /** From 0. */
  index: number
  /** The number of shards. */
  of: number
}

/** The transcripts that are checked, and unread files in their places between these. */
export interface Chosen<Each> {
  cases: readonly Each[]
  unread: readonly Unread[]
}

interface Candidate {
  conversation: Conversation
  /** SHA-256 of its content in hex. */
  identity: { sha256: string }
}

/** The transcripts that a rule selects, and the selection as the report has it. `unread` ends with what is not found again. */
export function selectCases<Each extends Candidate>(
  { cases, unread }: Chosen<Each>,
  { sample, seed = '0', where = {}, onlyFailed }: SelectionRule,
): Chosen<Each> & { selection: Selection } {
  const again = onlyFailed && recheck(cases, unread, onlyFailed)
  const isSelected = select(cases, { sample, seed, where }, again?.isWanted)
  const read = again?.unread ?? unread
  const chosen = keep({ cases, unread: [...read, ...(again?.notFound ?? [])] }, isSelected)
  return {
    ...chosen,
    selection: {
      sample: sample ?? null,
      seed: sample === undefined ? null : seed,
      only_failed: onlyFailed?.from ?? null,
      where: { ...where },
      not_selected: cases.length + unread.length - chosen.cases.length - read.length,
    },
  }
}

/** The selection of stored transcripts, of which a sample may have been drawn before the others were read. */
export function withDrawn(
  selection: Selection | undefined,
  { sample, seed, notSelected }: Pick<StoredList, 'sample' | 'seed' | 'notSelected'>,
): Selection | undefined {
  if (sample === undefined) return selection
  const { only_failed, where, not_selected } = selection ?? { only_failed: null, where: {}, not_selected: 0 }
  return { sample, seed: seed ?? null, only_failed, where, not_selected: not_selected + notSelected }
}

/** The contents of some transcripts that a report has judged too, chosen by content. */
export function controlContents(
  cases: readonly Candidate[],
  { report, size }: { report: CheckReport | undefined; size: number },
): ReadonlySet<string> {
  const judged = new Set(report?.cases.flatMap(({ sha256, result }) => (result === 'not judged' ? [] : sha256)))
  const all = new Set(cases.map(({ identity }) => identity.sha256).filter((sha256) => judged.has(sha256)))
  const byRank = [...all].map((sha256) => [digestOf(`control ${sha256}`), sha256] as const).sort()
  return new Set(byRank.slice(0, size).map(([, sha256]) => sha256))
}

/** True for a transcript, a file by its bytes, or a path that cannot be read, that belongs to a shard. */
const isInShard = (each: { path: string; sha256: string | null }, { index, of }: Shard): boolean =>
  shardOfHash(each.sha256 ?? digestOf(contentKey(each)), of) === index

/** The shard of a report whose input is not known yet. */
export function shardFacts({ index, of }: Shard, policy: Policy | undefined): ReportShard {
  const { maxTokens, maxCost, maxFailures, deadlineMs, rates = [] } = policy ?? {}
  const limits = { maxTokens, maxCost, maxFailures, deadline: deadlineMs }
  return {
    numbers: [index + 1],
    count: of,
    own_limits: Object.entries(limits).flatMap(([name, limit]) => (limit === undefined ? [] : [name])),
    merged_limits: ['minJudged', ...(rates.length > 0 ? ['rates'] : [])],
  }
}

/** The part that belongs to a shard, and the shard of its report. */
export function shardCases<Each extends Candidate>(
  { cases, unread }: Chosen<Each>,
  shard: Shard,
  policy: Policy,
): Chosen<Each> & { shard: ReportShard } {
  const contents = cases.map(({ conversation: { source }, identity: { sha256 } }) => ({ path: source.path, sha256 }))
  const keys = [...contents, ...unread].map(contentKey).sort()
  return {
    ...keep(
      { cases, unread: unread.filter((each) => isInShard(each, shard)) },
      contents.map((each) => isInShard(each, shard)),
    ),
    shard: { ...shardFacts(shard, policy), total: keys.length, input: digestOf(keys) },
  }
}

function keep<Each>({ cases, unread }: Chosen<Each>, isKept: readonly boolean[]): Chosen<Each> {
  const only = <Any>(all: readonly Any[]): Any[] => all.filter((_, at) => isKept[at])
  return {
    cases: only(cases),
    unread: unread.map((each) => ({ ...each, after: only(cases.slice(0, each.after)).length })),
  }
}

/** For each candidate, true if it is selected. The sample is taken of those that pass the other rules. */
function select(
  candidates: readonly Candidate[],
  { where, sample, seed }: { where: Readonly<Record<string, string>>; sample: number | undefined; seed: string },
  isWanted: (at: number) => boolean = () => true,
): boolean[] {
  const passing = candidates.map(
    ({ conversation }, at) =>
      Object.entries(where).every(([name, value]) => fieldValues(conversation, name).includes(value)) && isWanted(at),
  )
  if (sample === undefined) return passing
  // By content, so that the choice does not depend on the names and the order of files.
  const ranks = candidates.map(({ identity }) => digestOf(`${seed}\n${identity.sha256}`))
  const order = [...candidates.keys()]
    .filter((at) => passing[at])
    .sort((a, b) => ((ranks[a] ?? '') < (ranks[b] ?? '') ? -1 : ranks[a] === ranks[b] ? a - b : 1))
  const chosen = new Set(order.slice(0, sample))
  return passing.map((_, at) => chosen.has(at))
}

/** The transcripts and unread files to check again, and what failed or was not judged and is not found again. */
interface Recheck {
  isWanted(at: number): boolean
  unread: Unread[]
  notFound: Unread[]
}

/**
 * Find what failed, was known or was not judged in an earlier report, by its content. New content in a file of which some is
 * not found is checked too, but does not stand for it.
 */
function recheck(candidates: readonly Candidate[], unread: readonly Unread[], { from, report }: NamedReport): Recheck {
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
  const isFound = ({ gap, path }: ReportCase) => gap !== null && isInputGap(gap) && paths.has(plainPath(path))
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

const placed = ({ conversation: { source, transcript, part }, identity: { sha256 } }: Candidate) => ({
  path: source.path,
  record: transcript.place.record,
  part,
  external_id: transcript.externalId,
  sha256,
})

const isFailing = ({ result }: ReportCase): boolean => ['failed', 'known', 'not judged'].includes(result)

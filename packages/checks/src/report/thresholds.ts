import type { Gap, RateReport, ReportCase, ReportShard } from './report.js'

/** True for a file or a link that holds no readable transcript. */
export const isInputGap = ({ why }: Gap): boolean =>
  ['no transcript', 'unreadable', 'incomplete', 'broken link', 'link not followed'].includes(why)

/**
 * True if a rate fails the check: it is exceeded, and with a baseline it also grew among the transcripts of both runs, or
 * the other transcripts alone exceed it.
 */
export function failsCheck({ verdict, hits, n, max, before, common }: Omit<RateReport, 'culprits'>): boolean {
  if (verdict !== 'exceeded') return false
  if (before === null || common === null || isMore(common.hits / common.n, before)) return true
  const others = n - common.n
  return others > 0 && isMore((hits - common.hits) / others, max)
}

/**
 * The share of the transcripts that must be judged: all of them if `mustJudgeAll`, or if a gap hides the share. A rule that
 * fails for bad transcripts alone would keep them below it, and a file that may hold more transcripts does not show how many.
 */
export const neededShare = (
  cases: readonly Pick<ReportCase, 'gap'>[],
  { minJudged, mustJudgeAll }: { minJudged: number; mustJudgeAll: boolean },
): number =>
  mustJudgeAll || cases.some(({ gap }) => gap?.why === 'rule failed' || gap?.why === 'incomplete') ? 1 : minJudged

/**
 * True if enough transcripts are judged; never if none is. Of some shards: false only if the others could not change that,
 * because all transcripts must be judged.
 */
export const isEnoughJudged = (
  { judged, total, shard }: { judged: number; total: number; shard?: ReportShard | undefined },
  minJudged: number,
): boolean => (isPart({ shard }) ? judged === total || minJudged < 1 : judged > 0 && !isMore(minJudged, judged / total))

/** True for the report of some shards of a check. */
export const isPart = ({ shard }: { shard?: ReportShard | undefined }): boolean =>
  shard !== undefined && shard.numbers.length < shard.count

/** Compare shares with a tolerance for rounding. */
export const isMore = (share: number, than: number): boolean => share > than + 1e-9

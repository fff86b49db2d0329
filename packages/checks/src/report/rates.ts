import type { RateReport } from './report.js'

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

/** True if enough transcripts are judged; never if none is. */
export const isEnoughJudged = ({ judged, total }: { judged: number; total: number }, minJudged: number): boolean =>
  judged > 0 && !isMore(minJudged, judged / total)

/** Compare shares with a tolerance for rounding. */
export const isMore = (share: number, than: number): boolean => share > than + 1e-9

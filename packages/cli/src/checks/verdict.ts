import { exit } from '../exit.js'
import type { Policy } from './policy/policy.js'
import { isMore } from './rates.js'
import type { CheckReport, RateReport, ReportCase } from './report.js'

/**
 * Tell whether a rate fails the check: it is exceeded, and against a baseline it grew among the transcripts that both runs have,
 * or is exceeded by the others alone.
 */
export function fails({ verdict, hits, n, max, before, common }: Omit<RateReport, 'culprits'>): boolean {
  if (verdict !== 'exceeded') return false
  if (before === null || common === null || isMore(common.hits / common.n, before)) return true
  const others = n - common.n
  return others > 0 && isMore((hits - common.hits) / others, max)
}

/** A failing transcript or rate goes before what is missing, and what may close by itself before other gaps. */
export function verdictOf(
  cases: readonly ReportCase[],
  rates: readonly RateReport[],
  judged: number,
  { minJudged }: Pick<Policy, 'minJudged'>,
  { gateExit, stoppedBy }: { gateExit: number; stoppedBy: number | undefined },
): Pick<CheckReport, 'verdict' | 'exit'> {
  if (cases.some(({ result }) => result === 'failed') || rates.some(fails))
    return { verdict: 'failed', exit: stoppedBy ?? gateExit }
  const isVague = rates.some(({ verdict }) => verdict === 'cannot tell')
  if (stoppedBy === undefined && isEnoughJudged({ judged, total: cases.length }, minJudged) && !isVague)
    return { verdict: 'passed', exit: exit.ok }
  return { verdict: 'not judged', exit: stoppedBy ?? (mayClose(cases) ? exit.temporary : exit.notJudged) }
}

/** Whether so many are judged as a policy wants; none at all never are. */
export const isEnoughJudged = ({ judged, total }: Pick<CheckReport, 'judged' | 'total'>, minJudged: number): boolean =>
  judged > 0 && !isMore(minJudged, judged / total)

/** Whether running again may be all that it takes. */
export function mayClose(cases: readonly Pick<ReportCase, 'gap'>[]): boolean {
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  return gaps.length > 0 && gaps.every(({ temporary }) => temporary)
}

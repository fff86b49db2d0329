import type { UsageInfo } from '@svc/client'
import { isOnScale, type Rate } from './policy/policy.js'
import { isHit, rateVerdict } from './rates.js'
import { type CheckReport, type RateReport, type ReportCase, type Result, results } from './report.js'
import { verdictOf } from './verdict.js'
import { verdictLine } from './verdict-line.js'

/** What a report says beside its cases. */
export interface Facts
  extends Pick<CheckReport, 'annotator' | 'policy' | 'losses' | 'redacted' | 'baseline' | 'left_out'> {
  requests: CheckReport['requests']
  /** Of the requests that were sent. */
  usage: UsageInfo
  /** The share that each rate of the policy had in the baseline; null without one. */
  before: readonly (number | null)[]
  /** What a check that failed ends with. */
  gateExit: number
  /** Nothing but a judgement of every transcript passes, whatever the policy says. */
  mustJudgeAll: boolean
  /** What a run that was told to stop ends with, whatever it came to. */
  stoppedBy: number | undefined
}

/**
 * The report of judged transcripts: a failing one, or a rate that is exceeded, fails the check even when others are
 * missing; a gap that may close by itself says to run again; any other gap, and a rate that cannot be told, says that the
 * check could not judge.
 */
export function conclude(cases: ReportCase[], facts: Facts): CheckReport {
  const { before, gateExit, mustJudgeAll, stoppedBy, ...rest } = facts
  const { policy } = facts
  const minJudged = mustJudgeAll ? 1 : policy.minJudged
  const graded = cases.filter(({ outcome, gap }) => outcome !== null && isOnScale(outcome) && gap === null)
  const missing = cases.filter(({ outcome, gap }) => gap !== null && (outcome === null || isOnScale(outcome))).length
  const rates = policy.rates.map((rate, i) => rateOf(rate, { graded, missing }, policy.confidence, before[i] ?? null))
  const tally: Record<Result, number> = { ...zeroes }
  for (const { result } of cases) tally[result]++
  const judged = cases.length - tally['not judged']
  const { verdict, exit } = verdictOf(cases, rates, judged, { minJudged }, { gateExit, stoppedBy })
  const report = {
    schema: 'svc/check@1' as const,
    ...{ verdict, exit, line: '', ...rest, versions: versionsOf(cases) },
    ...{ total: cases.length, judged, results: tally },
    outcomes: counted(cases.flatMap(({ outcome }) => outcome ?? [])),
    signals: counted(cases.flatMap(({ signals }) => [...new Set(signals.map(({ key }) => key))])),
    ...{ flaky: cases.filter(({ flaky }) => flaky).length, rates, cases },
  }
  return { ...report, line: verdictLine(report, stoppedBy !== undefined) }
}

const zeroes = Object.fromEntries(results.map((result) => [result, 0])) as Record<Result, number>

function rateOf(
  rate: Rate,
  { graded, missing }: { graded: readonly ReportCase[]; missing: number },
  confidence: number | undefined,
  before: number | null,
): RateReport {
  const hits = graded.filter((each) => isHit(rate, each.outcome ?? '', (key) => hasFired(each, key))).length
  const n = graded.length
  return { ...rate, hits, n, verdict: rateVerdict({ hits, n, missing }, rate.max, confidence), before }
}

const hasFired = ({ signals }: ReportCase, signal: string): boolean => signals.some(({ key }) => key === signal)

/** How often each comes, in the order of their names. */
function counted(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function versionsOf(cases: readonly ReportCase[]): CheckReport['versions'] {
  const seen = new Map<string, CheckReport['versions'][number]>()
  for (const { annotator_version, taxonomy_version } of cases) {
    if (annotator_version === null || taxonomy_version === null) continue
    seen.set(JSON.stringify([annotator_version, taxonomy_version]), { annotator_version, taxonomy_version })
  }
  return [...seen.values()]
}

import type { UsageInfo } from '@svc/client'
import {
  type CheckReport,
  type Circumstances,
  type Policy,
  type Rate,
  type RateReport,
  type ReportCase,
  type Result,
  results,
  type Unmatched,
} from '@svc/report-viewer'
import { describe, exitCodeFor } from '../errors/index.js'
import { exit } from '../exit.js'
import { nearest } from '../nearest.js'
import { inert } from '../terminal/index.js'
import { version } from '../version.js'
import { defaultPolicy, isAtLeast, isOnScale } from './policy/index.js'
import { isHit, rateVerdict, verdictOf } from './rates.js'
import { verdictLine } from './verdict.js'

/** What a report says beside its cases. */
export interface Facts
  extends Pick<CheckReport, 'annotator' | 'policy' | 'losses' | 'redacted' | 'baseline' | 'left_out'>,
    Circumstances {
  notes: CheckReport['notes']
  /** Patterns of overrides that match no file. */
  unmatchedPatterns: readonly string[]
  requests: CheckReport['requests']
  /** Of the requests that were sent. */
  usage: UsageInfo
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
  const { gateExit, mustJudgeAll, stoppedBy, unmatchedPatterns, ...more } = facts
  const { svc_versions, service, paths, options, attempts, confirm_on_fail, notes, ...rest } = more
  const { policy } = facts
  const minJudged = mustJudgeAll ? 1 : policy.minJudged
  const graded = cases.filter(({ outcome, gap }) => outcome !== null && isOnScale(outcome) && gap === null)
  const missing = cases.filter(({ outcome, gap }) => gap !== null && (outcome === null || isOnScale(outcome))).length
  const rates = policy.rates.map((rate) => rateOf(rate, { graded, missing }, policy.confidence))
  const tally: Record<Result, number> = { ...zeroes }
  for (const { result } of cases) tally[result]++
  const judged = cases.length - tally['not judged']
  const end = verdictOf(cases, rates, judged, { minJudged }, { gateExit, stoppedBy })
  const report = {
    schema: 'svc/check@1' as const,
    ...{ ...end, line: '', error: null, ...rest, versions: versionsOf(cases) },
    ...{ svc_versions, service, paths, options, attempts, confirm_on_fail, notes },
    ...{ total: cases.length, judged, results: tally },
    outcomes: counted(cases.flatMap(({ outcome }) => outcome ?? [])),
    signals: counted(cases.flatMap(({ signals }) => [...new Set(signals.map(({ key }) => key))])),
    ...{ flaky: cases.filter(({ flaky }) => flaky).length, rates },
    unmatched: unmatchedIn(cases, policy, unmatchedPatterns),
    cases,
  }
  return { ...report, line: verdictLine(report, stoppedBy !== undefined) }
}

/** The report of a run that ended with an error before it could judge, with what was known by then. */
export function concludeError(error: unknown, cases: ReportCase[], known: Partial<Facts>): CheckReport {
  const { kind, message, details, hint = null } = describe(error)
  const facts: Facts = { ...nothingKnown, ...known }
  const line = inert(`could not judge: ${message}`)
  const end = {
    verdict: 'not judged',
    exit: exitCodeFor(error),
    line,
    error: { kind, message, details, hint },
  } as const
  return { ...conclude(cases, facts), ...end }
}

const nothingKnown: Facts = {
  ...{ annotator: '', policy: defaultPolicy, losses: [], redacted: {}, baseline: null, left_out: [] },
  ...{ svc_versions: [version], service: null, paths: null, options: null, attempts: null, confirm_on_fail: null },
  ...{
    notes: [],
    unmatchedPatterns: [],
    gateExit: exit.gateFailed,
    mustJudgeAll: false,
    stoppedBy: undefined,
  },
  requests: { sent: 0, cached: 0, same: 0 },
  usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 },
}

const zeroes = Object.fromEntries(results.map((result) => [result, 0])) as Record<Result, number>

function rateOf(
  rate: Rate,
  { graded, missing }: { graded: readonly ReportCase[]; missing: number },
  confidence: number | undefined,
): RateReport {
  const hit = graded.filter((each) => isHit(rate, each.outcome ?? '', (key) => hasFired(each, key)))
  const [hits, n] = [hit.length, graded.length]
  const verdict = rateVerdict({ hits, n, missing }, rate.max, confidence)
  const culprits =
    verdict === 'exceeded' ? hit.map(({ path, record, part, name }) => ({ path, record, part, name })) : []
  return { ...rate, hits, n, verdict, ...againstBaseline(rate, graded), culprits }
}

/** The share of the transcripts that the baseline has too, then and now. */
function againstBaseline(rate: Rate, graded: readonly ReportCase[]): Pick<RateReport, 'before' | 'common'> {
  const isKnown = ({ before, before_signals }: ReportCase) =>
    before !== null && isOnScale(before) && ('outcome' in rate.of || before_signals !== null)
  const common = graded.filter(isKnown)
  const n = common.length
  if (n === 0) return { before: null, common: null }
  const had =
    ({ before_signals }: ReportCase) =>
    (key: string) =>
      before_signals?.includes(key) === true
  const was = common.filter((each) => isHit(rate, each.before ?? '', had(each))).length
  const hits = common.filter((each) => isHit(rate, each.outcome ?? '', (key) => hasFired(each, key))).length
  return { before: was / n, common: { hits, n } }
}

/** The rules of a policy that matched nothing; none where nothing was annotated, for then nothing can match. */
function unmatchedIn(cases: readonly ReportCase[], policy: Policy, patterns: readonly string[]): Unmatched[] {
  const files = patterns.map((name): Unmatched => ({ kind: 'pattern', name, rules: ['overrides'], meant: null }))
  const annotated = cases.filter(({ outcome }) => outcome !== null)
  if (annotated.length === 0) return files
  const fired = new Set(annotated.flatMap(({ signals }) => signals.map(({ key }) => key)))
  const idle = new Map<string, Unmatched>()
  const look = (rule: Unmatched['rules'][number], names: readonly string[] = []) => {
    for (const name of names) {
      if (fired.has(name)) continue
      const known = idle.get(name)
      if (!known) idle.set(name, { kind: 'signal', name, rules: [rule], meant: nearest(name, [...fired]) ?? null })
      else if (!known.rules.includes(rule)) known.rules.push(rule)
    }
  }
  for (const rules of [policy, ...policy.overrides])
    for (const rule of ['forbidden', 'allowed', 'required'] as const) look(rule, rules[rule])
  look(
    'rates',
    policy.rates.flatMap(({ of }) => ('signal' in of ? [of.signal] : [])),
  )
  const levels = policy.rates.flatMap(({ of }) => ('outcome' in of ? [of.outcome] : []))
  const outcomes = levels
    .filter((level) => !annotated.some(({ outcome }) => isAtLeast(outcome ?? '', level)))
    .map((name): Unmatched => ({ kind: 'outcome', name, rules: ['rates'], meant: null }))
  return [...idle.values(), ...outcomes, ...files]
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

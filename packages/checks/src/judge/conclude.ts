import { count, escapeLine, nearest } from '@svc/text'
import { priceOf, versionNotes } from '../annotation.js'
import { defaultPolicy } from '../policy/index.js'
import {
  type CheckReport,
  type Circumstances,
  circumstances,
  failsCheck,
  isEnoughJudged,
  isPart,
  levelText,
  neededShare,
  type Policy,
  type Reason,
  type ReportCase,
  type ReportError,
  type Rules,
  rateText,
  results,
  type Unmatched,
} from '../report/index.js'
import { selfAgreement } from '../statistics.js'
import { addedUp, pick, tallyOf } from '../values.js'
import { version } from '../version.js'
import { judgeRates } from './rates.js'
import { slicesOf } from './tags.js'

export const gateExits = { passed: 0, temporary: 75, failed: 100, notJudged: 101 } as const

/** The exit codes of runs that SIGINT and SIGTERM stopped. */
export const stoppedExits: readonly number[] = [130, 143]

export interface Facts
  extends Pick<CheckReport, 'annotator' | 'policy' | 'losses' | 'redacted' | 'baseline' | 'left_out' | 'notes'>,
    Pick<CheckReport, 'requests' | 'usage' | 'saved'>,
    Circumstances {
  /** Patterns of overrides that match no file. */
  unmatchedPatterns: readonly string[]
  gateExit: number
  /** Pass only if every transcript is judged, whatever the policy allows. */
  mustJudgeAll: boolean
  /** A run without transcripts passes. Default: false. */
  mayBeEmpty?: boolean | undefined
  /** The exit code of a run that was stopped. */
  stoppedBy: number | undefined
  /** The shards that a merge lacks. */
  missingShards?: readonly number[]
}

export function conclude(cases: ReportCase[], facts: Facts): CheckReport {
  const { gateExit, mustJudgeAll, mayBeEmpty = false, stoppedBy, unmatchedPatterns, policy } = facts
  const { shard, missingShards = [] } = facts
  // The transcripts of all shards decide these.
  const rates = isPart(facts) ? [] : judgeRates(policy, cases)
  const tally = tallyOf(
    results,
    cases.map(({ result }) => result),
  )
  const judged = cases.length - tally['not judged']
  const minJudged = neededShare(cases, { minJudged: policy.minJudged, mustJudgeAll })
  const isEmpty = mayBeEmpty && cases.length === 0
  const { verdict, exit } = verdictOf(
    { cases, rates, judged, ...(shard && { shard }) },
    { minJudged, gateExit, stoppedBy, missingShards, isEmpty },
  )
  // While anything fails or is not judged, an update would hide it.
  const baseline = facts.baseline && { ...facts.baseline, ...(verdict !== 'passed' && { stale: null }) }
  const versions = versionsOf(cases)
  const report = {
    schema: 'svc/check@2' as const,
    verdict,
    exit,
    line: '',
    error: null,
    ...pick(facts, ['selection', 'annotator', 'policy', 'losses', 'redacted', 'requests', 'usage', 'saved']),
    baseline,
    ...pick(facts, ['left_out']),
    ...costOf(policy, facts),
    versions,
    ...pick(facts, circumstances),
    notes: [...new Set([...facts.notes, ...versionNotes(versions), ...policyNotes(policy)])],
    total: cases.length,
    judged,
    results: tally,
    outcomes: counted(cases.flatMap(({ outcome }) => outcome ?? [])),
    signals: counted(cases.flatMap(({ signals }) => [...new Set(signals.map(({ key }) => key))])),
    flaky: cases.filter(({ flaky }) => flaky).length,
    ...agreementOf(cases, facts),
    rates,
    ...slicesOf(cases, policy.tags),
    must_judge_all: mustJudgeAll || stoppedBy !== undefined,
    unmatched: unmatchedIn(isPart(facts) ? [] : cases, policy, unmatchedPatterns),
    cases,
  }
  return { ...report, line: verdictLine(report, { isStopped: stoppedBy !== undefined, missingShards }) }
}

function costOf({ prices }: Policy, { usage, saved }: Pick<Facts, 'usage' | 'saved'>): Pick<CheckReport, 'cost'> {
  if (!prices) return {}
  const amountOf = ({ tokens_in, tokens_out }: NonNullable<Facts['saved']>) =>
    tokens_in === null || tokens_out === null ? null : priceOf(prices, { in: tokens_in, out: tokens_out })
  return { cost: { currency: prices.currency, spent: amountOf(usage), saved: saved ? amountOf(saved) : 0 } }
}

/** Attempts that only confirm a failure agree more rarely than others. */
function agreementOf(cases: readonly ReportCase[], { confirm_on_fail }: Facts): Pick<CheckReport, 'self_agreement'> {
  if (confirm_on_fail !== false) return {}
  const votes = cases.map(({ answers = [] }) => ({
    n: answers.length,
    fails: answers.filter(({ fails }) => fails).length,
  }))
  const self_agreement = selfAgreement(votes)
  return self_agreement ? { self_agreement } : {}
}

/** The error of a run that ended before it could judge, and the exit code for it. */
export interface RunEnd extends Omit<ReportError, 'hint'> {
  /** The next step for a person. */
  hint?: string | null | undefined
  /** The exit code. */
  exit: number
}

export function concludeError(end: RunEnd, cases: ReportCase[], facts: Partial<Facts>): CheckReport {
  const { kind, message, details, hint = null, exit } = end
  return {
    ...conclude(cases, { ...defaultFacts, ...facts }),
    verdict: 'not judged',
    exit,
    line: escapeLine(`could not judge: ${message}`),
    error: { kind, message, details, hint },
  }
}

/** The facts of a report about nothing. */
export const defaultFacts: Facts = {
  annotator: '',
  policy: defaultPolicy,
  losses: [],
  redacted: {},
  baseline: null,
  left_out: [],
  notes: [],
  svc_versions: [version],
  service: null,
  paths: null,
  options: null,
  attempts: null,
  confirm_on_fail: null,
  unmatchedPatterns: [],
  gateExit: gateExits.failed,
  mustJudgeAll: false,
  stoppedBy: undefined,
  requests: { sent: 0, cached: 0, same: 0 },
  usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 },
}

/** The rules of a policy that matched nothing; empty if no transcript was annotated. */
function unmatchedIn(cases: readonly ReportCase[], policy: Policy, patterns: readonly string[]): Unmatched[] {
  const files = patterns.map((name): Unmatched => ({ kind: 'pattern', name, rules: ['overrides'], meant: null }))
  const annotated = cases.filter(({ outcome }) => outcome !== null)
  if (annotated.length === 0) return files
  const fired = new Set(annotated.flatMap(({ signals }) => signals.map(({ key }) => key)))
  const signals = new Map<string, Unmatched>()
  const rateNames = policy.rates.flatMap(({ of }) => ('signal' in of ? [of.signal] : []))
  const named = [policy, ...policy.overrides].flatMap((rules) =>
    (['forbidden', 'allowed', 'required'] as const).map((rule) => [rule, rules[rule] ?? []] as const),
  )
  for (const [rule, names] of [...named, ['rates', rateNames] as const])
    for (const name of names.filter((name) => !fired.has(name))) {
      const meant = nearest(name, [...fired]) ?? null
      const { rules } = signals.get(name) ?? {}
      if (!rules) signals.set(name, { kind: 'signal', name, rules: [rule], meant })
      else if (!rules.includes(rule)) rules.push(rule)
    }
  return [...signals.values(), ...files]
}

const counted = (names: readonly string[]): Record<string, number> => addedUp(names.map((name) => [name, 1]))

/** True if a rule can make a transcript fail, beside the rates. */
export function canFail({ custom, overrides, ...base }: Policy): boolean {
  const isOpen = ({ failOn, forbidden, allowed, required, indeterminate }: Rules) =>
    failOn === 'none' && forbidden.length + required.length === 0 && !allowed && indeterminate !== 'fail'
  return custom !== undefined || ![{}, ...overrides].every((each) => isOpen({ ...base, ...each }))
}

/** A policy that nothing can break passes every judged transcript. */
const policyNotes = (policy: Policy): string[] =>
  policy.rates.length > 0 || canFail(policy)
    ? []
    : ['no transcript can fail: failOn is none, and there is no other rule']

function versionsOf(cases: readonly ReportCase[]): CheckReport['versions'] {
  const seen = new Map<string, CheckReport['versions'][number]>()
  for (const { annotator_version, taxonomy_version } of cases) {
    if (annotator_version === null || taxonomy_version === null) continue
    seen.set(JSON.stringify([annotator_version, taxonomy_version]), { annotator_version, taxonomy_version })
  }
  return [...seen.values()]
}

/**
 * The verdict and the exit code. Failures take precedence over missing judgements, and a run whose gaps are all temporary
 * can be repeated.
 */
function verdictOf(
  { cases, rates, judged, shard }: Pick<CheckReport, 'cases' | 'rates' | 'judged'> & Pick<Facts, 'shard'>,
  {
    minJudged,
    gateExit,
    stoppedBy,
    missingShards,
    isEmpty,
  }: Pick<Required<Facts>, 'gateExit' | 'stoppedBy' | 'missingShards'> & {
    minJudged: number
    isEmpty: boolean
  },
): Pick<CheckReport, 'verdict' | 'exit'> {
  if (cases.some(({ result }) => result === 'failed') || rates.some(failsCheck))
    return { verdict: 'failed', exit: stoppedBy ?? gateExit }
  const isUndecided = rates.some(({ verdict }) => verdict === 'cannot tell')
  const isEnough = !isUndecided && isEnoughJudged({ judged, total: cases.length, shard }, minJudged)
  if (stoppedBy === undefined && missingShards.length === 0 && (isEmpty || isEnough))
    return { verdict: 'passed', exit: gateExits.passed }
  return {
    verdict: 'not judged',
    exit:
      stoppedBy ?? (missingShards.length === 0 && areAllTemporary(cases) ? gateExits.temporary : gateExits.notJudged),
  }
}

/** True if there are gaps and another run may close all of them. */
function areAllTemporary(cases: readonly ReportCase[]): boolean {
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  return gaps.length > 0 && gaps.every(({ temporary }) => temporary)
}

type Judged = Omit<CheckReport, 'line'>

function verdictLine(
  report: Judged,
  { isStopped, missingShards }: { isStopped: boolean; missingShards: readonly number[] },
): string {
  const { verdict, judged, total, cases, rates, results, flaky, selection, shard } = report
  const hasKnown = results.known > 0 && verdict !== 'passed'
  const end = [
    ...(judged < total ? [`${total - judged} of ${total} not judged`] : []),
    ...(verdict === 'not judged' && areAllTemporary(cases) && !isStopped ? ['temporary failures, run it again'] : []),
    ...(hasKnown ? [`${results.known} known from the baseline`] : []),
    ...(selection ? [`${selection.not_selected} of ${total + selection.not_selected} not selected`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
    ...(isStopped ? ['stopped'] : []),
    ...(missingShards.length > 0 && shard ? [missingText(missingShards, shard.count)] : []),
    ...(missingShards.length === 0 && isPart(report) ? [`shard ${shard?.numbers.join(', ')} of ${shard?.count}`] : []),
  ]
  if (verdict === 'failed') return `failed: ${[...failures(report), ...end].join('; ')}`
  const decided = total === 0 ? [] : rates.map(rateText)
  if (verdict === 'passed') return `passed: ${[passedText(report), ...decided, ...end].join('; ')}`
  const undecided = rates.filter((rate) => rate.verdict === 'cannot tell').map(rateText)
  const parts = total === 0 && missingShards.length === 0 ? ['no transcripts'] : []
  return `could not judge: ${[...parts, ...undecided, ...end].join('; ')}`
}

const missingText = (missing: readonly number[], count: number): string =>
  `${missing.length === 1 ? `shard ${missing[0]}` : `shards ${missing.join(', ')}`} of ${count} missing`

function passedText({ policy, results, baseline, judged, total, cases }: Judged): string {
  const { failOn, forbidden, allowed, required, overrides, custom } = policy
  if (baseline?.updated)
    return results.known === 0
      ? `baseline written, without findings in ${count(total, 'transcript')}`
      : `baseline written with ${count(knownIn(cases), 'finding')} in ${results.known} of ${count(total, 'transcript')}`
  if (total === 0) return 'no transcripts to judge'
  if (results.known > 0)
    return `no new failures in ${count(judged, 'transcript')} (${results.known} known from the baseline)`
  const isPlain =
    failOn !== 'none' && forbidden.length + required.length + overrides.length === 0 && !allowed && !custom
  return `no transcript ${isPlain ? `is ${levelText(failOn)}` : 'breaks a rule'} (${judged} judged)`
}

const knownIn = (cases: readonly ReportCase[]) =>
  cases.reduce((sum, { reasons }) => sum + reasons.filter(({ known }) => known).length, 0)

/** The failed transcripts, counted by each kind of what they break: one that breaks several counts in each. */
function failures({ cases, rates, total, policy }: Judged): string[] {
  const failed = cases.filter(({ result }) => result === 'failed')
  const breaking = (breaks: (rule: Reason['rule']) => boolean) =>
    failed.filter(({ reasons }) => reasons.some(({ rule, known }) => !known && breaks(rule)))
  const byOutcome = breaking((rule) => rule === 'outcome')
  const others = breaking((rule) => rule !== 'outcome')
  const isCustom = breaking((rule) => rule === 'custom').length > 0
  const isIndeterminate = ({ outcome }: ReportCase) => outcome === 'indeterminate'
  const level = policy.overrides.some(({ failOn }) => failOn !== undefined) ? 'none' : policy.failOn
  const areAllIndeterminate = byOutcome.every(isIndeterminate)
  const kinds = [
    ...(areAllIndeterminate || level === 'none' ? [] : [levelText(level)]),
    ...(byOutcome.some(isIndeterminate) ? ['indeterminate'] : []),
  ]
  const isOne = byOutcome.length === 1
  // Each transcript has rules of its own, so that there is no level to name.
  const failure =
    level === 'none' && !areAllIndeterminate
      ? `failed ${isOne ? 'its' : 'their'} rules`
      : `${isOne ? 'is' : 'are'} ${kinds.join(' or ')}`
  const of = `of ${count(total, 'transcript')}`
  return [
    ...(byOutcome.length > 0 ? [`${byOutcome.length} ${of} ${failure}`] : []),
    ...(others.length > 0
      ? [`${others.length} ${of} ${others.length === 1 ? 'breaks' : 'break'} a ${isCustom ? '' : 'signal '}rule`]
      : []),
    ...rates.filter(failsCheck).map(rateText),
  ]
}

import { canonicalJson, count, grouped, percent } from '@svc/text'
import { CheckError } from '../check-error.js'
import { plainPath } from '../identity.js'
import { canFail, gateExits, stoppedExits } from '../judge/index.js'
import { labelFigures, type NamedLabels } from '../labels/index.js'
import {
  asIs,
  type Cause,
  type CheckReport,
  type ComparedChange,
  type Comparison,
  causes,
  evidenceText,
  failingNotes,
  isInputGap,
  isMore,
  isPart,
  type NamedReport,
  neededShare,
  type PairsOfCause,
  type ReportCase,
  reasonText,
} from '../report/index.js'
import { dropBounds, fisherTest, flipChance, flipTest, significance, smallestDrop } from '../statistics.js'
import { pick } from '../values.js'
import { sourcesOf } from './comparable.js'
import { refuseContradictory } from './consistent.js'
import {
  failsIn,
  isJudged,
  isSameContent,
  type JudgedPair,
  type Pair,
  type PairCause,
  type Paired,
  pairsOf,
} from './pairs.js'
import { namedReports } from './read-report.js'

/** Options of `compareReports`. */
export interface CompareOptions {
  /** The causes whose changes decide together. Default: `content` alone. */
  count?: readonly ('content' | 'judge')[] | undefined
  /** Labels of people, beside which both reports are shown. Default: none. */
  labels?: NamedLabels | undefined
}

/** With fewer changed pairs or clusters than this, the test finds nothing, whatever they show. */
const leastPairs = 5

/**
 * Compare two reports: say for each cause whether more transcripts fail than before. NEW's rules judge both.
 *
 * @throws {CheckError} for what is no report, the same report twice, and reports that contradict themselves or ended early
 */
export function compareReports(old: NamedReport, now: NamedReport, options: CompareOptions = {}): Comparison {
  refuseContradictory(namedReports('compareReports', [old, now]))
  const runsOfNew = new Set(sourcesOf(now).map(({ sha256 }) => sha256))
  if (sourcesOf(old).some(({ sha256 }) => runsOfNew.has(sha256)))
    throw new CheckError('not_comparable', `${old.from} and ${now.from} are reports of the same run.`, {
      hint: 'compare the reports of two runs',
    })
  const comparison = comparisonOf(old, now, options)
  const { labels } = options
  if (!labels) return comparison
  return { ...comparison, labels: { old: labelFigures(old.report, labels), new: labelFigures(now.report, labels) } }
}

/** The comparison of reports that do not contradict themselves. */
export const comparisonOf = (old: NamedReport, now: NamedReport, options: CompareOptions = {}): Comparison =>
  comparisonOfPairs(old, now, options).comparison

/** The comparison, and the reasons why no change of it can be trusted. */
export function comparisonOfPairs(
  old: NamedReport,
  now: NamedReport,
  { count: counted }: CompareOptions = {},
): { comparison: Comparison; paired: Paired; distrust: readonly string[] } {
  const [before, after] = [old.report, now.report]
  const paired = pairsOf(before, after)
  const { all, distinct: pairs, added, missing, obstacle } = paired
  const judged = pairs.filter(isJudged)
  const byCause = grouped(judged, paired.causeOf)
  const of = (cause: PairCause) => byCause.get(cause) ?? []
  const decisive: readonly Cause[] = [...new Set(counted ?? ['content' as const])].sort()
  const deciding = decisive.flatMap(of)
  const decision = testOf(deciding)
  const { now_fail: lost, no_longer_fail: gained, pairs: n } = decision
  const bounds = n > 0 && decision.clusters === null ? dropBounds(n, { lost, gained }) : null
  const lostPairs = lostIn(pairs, missing, after)
  const changedByRules = pairs.filter(
    ({ failedByOwnRules: was, failed: is }) => was !== undefined && is !== undefined && was !== is,
  )
  const max = after.policy.maxDrop
  const isHalfPaired = all.length * 2 >= Math.min(before.total, after.total)
  const facts: Facts = {
    schema: 'svc/comparison@1',
    count: [...decisive],
    causes: Object.fromEntries(causes.map((cause) => [cause, testOf(of(cause))])) as Comparison['causes'],
    judge: paired.judge,
    judge_noise: expectedNoise(of('judge'), before, after),
    rules: {
      differences: paired.rules,
      now_fail: changedByRules.filter(({ failed }) => failed).length,
      no_longer_fail: changedByRules.filter(({ failed }) => !failed).length,
    },
    unchanged: of('unchanged').length,
    read_differently: of('read_differently').length,
    equal: all.length - pairs.length,
    not_judged: pairs.filter(({ failed }) => failed === undefined).length,
    lost: lostPairs.length,
    pass_rate: n === 0 ? null : { old: passing(deciding, 'failed'), new: passing(deciding, 'fails') },
    drop: bounds && { share: (lost - gained) / n, ...bounds },
    smallest_drop: bounds && smallestDrop(n, gained),
    max_drop: max === undefined ? null : { max, verdict: n === 0 ? 'within_limit' : limitOf(max, bounds) },
    added: { total: added.length, fail: added.filter(failsIn).length },
    removed: { total: missing.length, fail: missing.filter(failsIn).length },
    independent: isHalfPaired ? null : independent(before, after),
    old: { from: old.from, ...pick(before, sideFields) },
    new: { from: now.from, ...pick(after, sideFields) },
    changes: [
      ...causes.flatMap((cause) => of(cause).filter(isFlip).map(changeOf(cause))),
      ...changedByRules.map(changeOf('rules')),
    ].sort((a, b) => Number(b.change === 'now fails') - Number(a.change === 'now fails')),
  }
  const distrust = [
    ...unusable('OLD', before),
    ...unusable('NEW', after),
    ...(obstacle === undefined ? [] : [obstacle]),
    ...(canFail(after.policy) ? [] : ['By the rules of NEW no transcript can fail: set failOn.']),
    ...driftIn(facts),
    ...readDifferently(judged, paired, before, after),
  ]
  const losses = isTooMuchLost(lostPairs, pairs, before, after)
    ? [`${count(lostPairs.length, 'judgement')} of OLD ${lostPairs.length === 1 ? 'is' : 'are'} lost in NEW.`]
    : []
  const gaps = [
    ...(isHalfPaired ? [] : [tooFewPaired(all.length, before, after)]),
    ...unattributed(facts, after),
    ...(facts.max_drop ? undecided(facts.max_drop) : tooFewChanged(decision, deciding)),
  ]
  const reasons = [...distrust, ...gaps, ...losses]
  const isWorse = facts.max_drop ? facts.max_drop.verdict === 'exceeded' : decision.verdict === 'worse'
  const mayBeTold = distrust.length + gaps.length === 0 && lostPairs.every(({ gap }) => gap?.temporary)
  const unknown = mayBeTold ? gateExits.temporary : gateExits.notJudged
  const exit = isWorse && distrust.length === 0 ? gateExits.failed : reasons.length === 0 ? gateExits.passed : unknown
  const verdict = exit === unknown ? 'cannot tell' : decision.verdict
  const comparison: Comparison = { ...facts, verdict, exit, reasons, line: lineOf(verdict, decision, facts, reasons) }
  return { comparison, paired, distrust }
}

const sideFields = [
  'verdict',
  'exit',
  'line',
  'annotator',
  'versions',
  'total',
  'judged',
  'ended_at',
  'commit',
] as const

const isFlip = ({ failed, fails }: Pair): boolean => failed !== fails

/** Parts of one transcript, and transcripts that the policy says belong together. */
const clusterOf = ({ new: { cluster, path, record } }: Pair): string =>
  canonicalJson(cluster === undefined ? [plainPath(path), record] : cluster)

const step = ({ failed, fails }: Pair): number => Number(fails) - Number(failed)

function testOf(pairs: readonly Pair[]): PairsOfCause {
  const steps = [...grouped(pairs, clusterOf).values()].map((of) => of.reduce((sum, pair) => sum + step(pair), 0))
  const isFound = (differences: readonly number[]) => flipTest(differences) <= significance
  return {
    pairs: pairs.length,
    clusters: steps.length < pairs.length ? steps.length : null,
    now_fail: pairs.filter((pair) => step(pair) > 0).length,
    no_longer_fail: pairs.filter((pair) => step(pair) < 0).length,
    verdict: isFound(steps) ? 'worse' : isFound(steps.map((each) => -each)) ? 'better' : 'no difference found',
  }
}

/**
 * The number of pairs of the judge that would now fail if its versions did not differ, because an annotator does not always
 * agree with itself: by the attempts of both reports. Null unless both have three or more, none of them only after a failure.
 */
function expectedNoise(pairs: readonly JudgedPair[], before: CheckReport, after: CheckReport): number | null {
  const [one, other] = [before, after].map(({ attempts, confirm_on_fail }) => (confirm_on_fail ? 0 : (attempts ?? 0)))
  if (pairs.length === 0 || one === undefined || other === undefined || Math.min(one, other) < 3) return null
  const votesOf = (side: 'old' | 'new') =>
    pairs.flatMap(({ [side]: { answers = [] } }) =>
      answers.length > 0 ? [{ n: answers.length, fails: answers.filter(({ fails }) => fails).length }] : [],
    )
  const chances = (['old', 'new'] as const).map((side) => flipChance(votesOf(side), [one, other]))
  return pairs.length * chances.reduce((sum, chance) => sum + chance / chances.length, 0)
}

const passing = (pairs: readonly Pair[], side: 'failed' | 'fails'): number =>
  pairs.filter((pair) => !pair[side]).length / pairs.length

function limitOf(
  max: number,
  bounds: { least: number; most: number } | null,
): NonNullable<Comparison['max_drop']>['verdict'] {
  if (bounds && isMore(bounds.least, max)) return 'exceeded'
  return bounds && !isMore(bounds.most, max) ? 'within_limit' : 'cannot tell'
}

function independent(before: CheckReport, after: CheckReport): NonNullable<Comparison['independent']> {
  const sampleOf = ({ judged, cases }: CheckReport) => ({ judged, fail: cases.filter(failsIn).length })
  const [one, other] = [sampleOf(before), sampleOf(after)]
  const [old, now] = [one, other].map(({ judged, fail }) => ({ n: judged, fails: fail })) as [Sample, Sample]
  const isFound = (p: number) => p <= significance
  const verdict = isFound(fisherTest(old, now))
    ? 'worse'
    : isFound(fisherTest(now, old))
      ? 'better'
      : 'no difference found'
  return { old: one, new: other, verdict }
}

type Sample = Parameters<typeof fisherTest>[0]

/**
 * The cases without a judgement of transcripts that had one. Of a file that cannot be read any more, each transcript is lost;
 * of other files, a transcript that is gone may have been removed.
 */
function lostIn(pairs: readonly Pair[], missing: readonly ReportCase[], after: CheckReport): ReportCase[] {
  const unread = new Map(
    after.cases.flatMap((each) => (each.gap && isInputGap(each.gap) ? [[plainPath(each.path), each]] : [])),
  )
  const gone = missing.flatMap((each) => (failsIn(each) === undefined ? [] : (unread.get(plainPath(each.path)) ?? [])))
  return [
    ...pairs.filter(({ failed, fails }) => failed !== undefined && fails === undefined).map((pair) => pair.new),
    ...gone,
  ]
}

function isTooMuchLost(
  lost: readonly ReportCase[],
  pairs: readonly Pair[],
  before: CheckReport,
  after: CheckReport,
): boolean {
  const judgedBefore = pairs.filter(({ failed }) => failed !== undefined).length + lost.length
  const minJudged = Math.max(before.policy.minJudged, after.policy.minJudged)
  const needed = neededShare(after.cases, { minJudged, mustJudgeAll: false })
  return lost.length > 0 && isMore(needed, (judgedBefore - lost.length) / judgedBefore)
}

/** Why a report cannot be compared, because its transcripts were chosen by their verdicts or are not all there. */
export function unusable(name: 'OLD' | 'NEW', report: CheckReport): string[] {
  const { selection, exit, must_judge_all, baseline } = report
  const isStopped = stoppedExits.includes(exit) || (must_judge_all && baseline?.updated !== true)
  return [
    ...(selection?.only_failed ? [`${name} has only what failed before (--only-failed).`] : []),
    ...(isStopped ? [`The run of ${name} was stopped.`] : []),
    ...(isPart(report) ? [`${name} has only some of the shards: merge them first.`] : []),
  ]
}

type Facts = Omit<Comparison, 'verdict' | 'exit' | 'reasons' | 'line'>

const changesText = ({ now_fail, no_longer_fail }: Pick<PairsOfCause, 'now_fail' | 'no_longer_fail'>): string =>
  `${now_fail} now ${now_fail === 1 ? 'fails' : 'fail'}, ${no_longer_fail} no longer ${no_longer_fail === 1 ? 'does' : 'do'}`

function driftIn({ causes: { repeat } }: Facts): string[] {
  if (repeat.verdict === 'no difference found') return []
  return [`The judge drifted under its version: of ${repeat.pairs} unchanged transcripts ${changesText(repeat)}.`]
}

/** Transcripts whose content is another one although, or perhaps because, only the reading of their records changed. */
function readDifferently(judged: readonly JudgedPair[], { causeOf }: Paired, before: CheckReport, after: CheckReport) {
  const certain = judged.filter((pair) => causeOf(pair) === 'read_differently')
  const failing = certain.filter((pair) => step(pair) > 0).length
  const isOtherSvc = canonicalJson(before.svc_versions) !== canonicalJson(after.svc_versions)
  const suspected = judged.filter(
    (pair) => isOtherSvc && !isSameContent(pair) && (!pair.old.source_hash || !pair.new.source_hash),
  )
  const isMost = (certain.length + suspected.length) * 2 > judged.length
  const of = (some: readonly JudgedPair[]) => `${some.length} of ${count(judged.length, 'transcript')}`
  return [
    ...(certain.length > 0 && (isMost || failing > 0)
      ? [
          `${of(certain)} are read differently from the same records, and ${failing} now ${failing === 1 ? 'fails' : 'fail'}: check the transcripts of OLD as NEW was checked, then compare.`,
        ]
      : []),
    ...(suspected.length > 0 && isMost
      ? [`${of(suspected)} changed with the version of svc: perhaps it reads them differently.`]
      : []),
  ]
}

function unattributed({ causes: { content_or_judge }, judge, old }: Facts, after: CheckReport): string[] {
  const { pairs } = content_or_judge
  if (pairs === 0) return []
  const judgeOf = [after.annotator, ...after.versions.map(({ annotator_version }) => annotator_version)].join(' ')
  const at = judge.some(({ what }) => what === 'service') ? ` at ${after.service}` : ''
  const requests = count(pairs * (after.attempts ?? 1), 'request')
  return [
    `Judge and transcripts both changed. Check the transcripts of ${old.from} with ${judgeOf}${at} (${requests}), then compare.`,
  ]
}

const tooFewPaired = (paired: number, before: CheckReport, after: CheckReport): string =>
  `Only ${paired} of ${Math.min(before.total, after.total)} transcripts are in both reports: other days, or another project.`

const undecided = ({ max, verdict }: NonNullable<Comparison['max_drop']>): string[] =>
  verdict === 'cannot tell' ? [`The pairs are too few to tell if the drop is above ${percent(max)}.`] : []

/** A failure that somebody has accepted into the baseline needs no test. */
function tooFewChanged({ pairs, clusters }: PairsOfCause, deciding: readonly Pair[]): string[] {
  const n = clusters ?? pairs
  const now_fail = deciding.filter((pair) => step(pair) > 0 && pair.new.result !== 'known').length
  if (now_fail === 0 || n >= leastPairs) return []
  const what = clusters === null ? 'changed transcript' : 'cluster'
  return [
    `${count(n, what)} can show nothing, and ${now_fail} now ${now_fail === 1 ? 'fails' : 'fail'}: at least ${leastPairs} are needed.`,
  ]
}

/** As in `worse by content: of 96 changed transcripts 14 now fail, 3 no longer do`. */
function lineOf(
  verdict: Comparison['verdict'],
  { pairs, clusters, ...changes }: PairsOfCause,
  { count: decisive, max_drop, independent }: Facts,
  reasons: readonly string[],
): string {
  const inClusters = clusters === null ? '' : ` in ${count(clusters, 'cluster')}`
  const what =
    pairs === 0
      ? 'no transcript changed'
      : `of ${count(pairs, 'changed transcript')}${inClusters} ${changesText(changes)}`
  const limit = max_drop && pairs > 0 ? `; the drop is ${limitText(max_drop)}` : ''
  const [reason = ''] = reasons
  if (verdict !== 'cannot tell') return `${verdict} by ${decisive.join(' and ')}: ${what}${limit}`
  const samples = independent ? `; ${samplesText(independent)}` : ''
  return `cannot tell: ${reason.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}${samples}`
}

const limitText = ({ max, verdict }: NonNullable<Comparison['max_drop']>): string =>
  verdict === 'exceeded' ? `above ${percent(max)}` : verdict === 'within_limit' ? `within ${percent(max)}` : 'uncertain'

/** As in `as independent samples 4 of 90 failed and 12 of 96 fail: worse`. */
export const samplesText = ({ old, new: now, verdict }: NonNullable<Comparison['independent']>): string =>
  `as independent samples ${old.fail} of ${old.judged} failed and ${now.fail} of ${now.judged} fail: ${verdict}`

const changeOf =
  (cause: ComparedChange['cause']) =>
  ({ old, new: now, failed, fails }: Pair): ComparedChange => {
    const isFailing = cause === 'rules' ? failed : fails
    return { cause, change: isFailing ? 'now fails' : 'no longer fails', old: sideOf(old), new: sideOf(now) }
  }

const sideOf = (each: ReportCase): ComparedChange['old'] => ({
  ...pick(each, ['path', 'record', 'part', 'name', 'external_id', 'sha256', 'line', 'column', 'outcome']),
  why: whyOf(each),
})

/** The reasons of a verdict in one line: the notes of an outcome that fails, and the first rule; else the annotator's notes. */
function whyOf(each: ReportCase): string {
  const { reasons, signals, outcome_notes, outcome } = each
  const broken = reasons.filter(({ rule }) => rule !== 'outcome')
  const shown = signals.filter(({ key }) => broken.some((reason) => 'signal' in reason && reason.signal === key))
  const failing = failingNotes(each)
  const evidence = (shown.length > 0 ? shown : failing ? [] : reasons.length > 0 ? signals : []).map(
    (signal) => `${signal.key}${signal.turn === null ? '' : ` at turn ${signal.turn}`}: ${evidenceText(signal, asIs)}`,
  )
  const [rule = ''] = [...evidence, ...broken.map((reason) => reasonText(reason, asIs))]
  const why =
    failing && rule ? `${failing.replace(/\.$/, '')}; ${rule}` : failing || rule || (outcome_notes ?? '').trim()
  return why || (outcome === null ? '' : `the outcome is ${outcome}`)
}

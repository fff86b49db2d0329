import { canonicalJson, count, grouped } from '@svc/text'
import { matchContent, plainPath } from '../identity.js'
import { gateExits } from '../judge/index.js'
import { isOnScale } from '../policy/index.js'
import {
  type CheckReport,
  failsCheck,
  isInputGap,
  isMore,
  type RateReport,
  type Reason,
  type ReportCase,
  type ReportSignal,
  scale,
} from '../report/index.js'
import { pick, tallyOf } from '../values.js'
import { byPlace, differences, isSamePlace, reasonKey, shareDifferences } from './comparable.js'

/**
 * The changes of a transcript, the worst first. `worse` and `better` compare failures and outcomes on the scale; `both` is
 * worse in one and better in the other; `replaced` has other content at the same place, and is followed no further; `other`
 * is any other change of content, outcome, result, signals or flakiness.
 */
export const caseChanges = [
  'worse',
  'both',
  'unjudged',
  'judged',
  'added',
  'replaced',
  'other',
  'gone',
  'better',
] as const
export type CaseChange = (typeof caseChanges)[number]

export const caseFields = [
  'path',
  'record',
  'part',
  'name',
  'sha256',
  'occurrence',
  'line',
  'column',
  'result',
  'outcome',
  'gap',
  'flaky',
] as const
export const sideFields = [
  'verdict',
  'exit',
  'line',
  'annotator',
  'versions',
  'total',
  'judged',
  'results',
  'outcomes',
  'signals',
  'flaky',
] as const
export const rateFields = ['max', 'hits', 'n', 'verdict'] as const

type CaseSide = Pick<ReportCase, (typeof caseFields)[number]>
export type ReportSide = Pick<CheckReport, (typeof sideFields)[number]>
type RateSide = Pick<RateReport, (typeof rateFields)[number]>

/** The items that only the later report has, and those that only the earlier one has. */
interface Turnover<Each> {
  began: Each[]
  ceased: Each[]
}

/** A transcript that changed; a side is null if that report does not have it. */
export interface CaseDiff {
  change: CaseChange
  before: CaseSide | null
  after: CaseSide | null
  /** Broken rules that make it fail. */
  reasons: Turnover<Reason>
  signals: Turnover<ReportSignal>
}

/** A rate that changed; a side is null if that policy does not have it. */
export interface RateDiff extends Pick<RateReport, 'of' | 'by' | 'slice'> {
  before: RateSide | null
  after: RateSide | null
}

/** The differences between two reports, from which the text, the document and the exit code are derived. */
export interface ReportDiff {
  /** The format of the document. */
  schema: 'svc/report-diff@1'
  /** A transcript has a new failure or a worse outcome, or a rate newly fails. */
  worse: boolean
  /** False if the reports have different annotators, versions or rules, which can cause any change. */
  comparable: boolean
  /** The transcripts that were judged, and that the later report has without a judgement. */
  lost: number
  /** 100 if it is worse; else, if more is lost than `minJudged` allows, 75 if another run may judge all of it, and 101 if not. */
  exit: number
  /** A summary in one line. */
  line: string
  /** The settings in which the reports differ. */
  differences: { what: string; before: string; after: string }[]
  /** The earlier report. */
  before: ReportSide
  /** The later report. */
  after: ReportSide
  /** The number of transcripts of each change. */
  counts: Record<CaseChange | 'same', number>
  /** The rates that changed. */
  rates: RateDiff[]
  /** The worst first, then by place. */
  cases: CaseDiff[]
}

/** Compare two reports. Call `refuseIncomparable` first, unless a difference of settings may explain the changes. */
export function diffReports(before: CheckReport, after: CheckReport): ReportDiff {
  const different = differences(before, after)
  const pairs = matchCases(before.cases, after.cases)
  const cases = pairs.flatMap((pair) => caseDiff(pair) ?? []).sort(worstFirst)
  const tally = tallyOf(
    caseChanges,
    cases.map(({ change }) => change),
  )
  const lost = lostIn(pairs)
  const worse = cases.some(isWorse) || hasNewFailingRate(before, after)
  const isTooMuch =
    (lost.length > 0 && isMore(minJudgedIn(before, after), (before.judged - lost.length) / before.total)) ||
    (before.judged > 0 && after.judged === 0)
  const exit = worse ? gateExits.failed : isTooMuch ? exitOfLosses(lost) : gateExits.passed
  const diff = {
    schema: 'svc/report-diff@1' as const,
    worse,
    comparable: different.length === 0,
    lost: lost.length,
    exit: different.length > 0 ? gateExits.notJudged : exit,
    differences: [...different, ...shareDifferences(before, after)].map(({ what, values }) => ({
      what,
      before: values[0],
      after: values[1],
    })),
    before: pick(before, sideFields),
    after: pick(after, sideFields),
    counts: { ...tally, same: pairs.length - cases.length },
    rates: rateDiffs(before.rates, after.rates),
    cases,
  }
  return { ...diff, line: lineOf(diff) }
}

/**
 * The later cases without a judgement of transcripts that had one. Of a file that cannot be read any more, each transcript is
 * lost; of other files, a transcript that is gone may have been removed.
 */
function lostIn(pairs: readonly Pair[]): ReportCase[] {
  const unread = pairs.flatMap(({ after }) => (after?.gap && isInputGap(after.gap) ? [after] : []))
  const byPath = grouped(unread, ({ path }) => plainPath(path))
  return pairs.flatMap(({ before, after }) => {
    if (!before || before.result === 'not judged') return []
    const found = after ?? byPath.get(plainPath(before.path))?.[0]
    return found?.result === 'not judged' ? [found] : []
  })
}

/** The stricter share, as `svc check` applies it. */
const minJudgedIn = (before: CheckReport, after: CheckReport): number =>
  after.must_judge_all || after.cases.some(({ gap }) => gap?.why === 'rule failed')
    ? 1
    : Math.max(before.policy.minJudged, after.policy.minJudged)

const exitOfLosses = (lost: readonly ReportCase[]): number =>
  lost.length > 0 && lost.every(({ gap }) => gap?.temporary) ? gateExits.temporary : gateExits.notJudged

const isWorse = ({ change, reasons }: CaseDiff): boolean =>
  change === 'worse' ||
  change === 'both' ||
  (['added', 'replaced', 'judged'].includes(change) && reasons.began.length > 0)

function caseDiff(pair: Pair): CaseDiff | undefined {
  const { before, after, isReplaced } = pair
  const [was, is] = [before && failing(before), after && failing(after)]
  const reasons = isReplaced ? { began: is ?? [], ceased: was ?? [] } : turnover(was, is, reasonKey)
  const signals = turnover(before?.signals, after?.signals, ({ key }) => key)
  const change = changeOf(pair, reasons, signals.began.length + signals.ceased.length > 0)
  if (!change) return undefined
  const side = (each: ReportCase | undefined) => (each ? pick(each, caseFields) : null)
  return { change, before: side(before), after: side(after), reasons, signals }
}

function changeOf(
  { before, after, isReplaced }: Pair,
  reasons: Turnover<Reason>,
  hasOtherSignals: boolean,
): CaseChange | undefined {
  if (!before || !after) return before ? 'gone' : 'added'
  if (isReplaced) return 'replaced'
  const [was, is] = [before.result !== 'not judged', after.result !== 'not judged']
  if (was !== is) return is ? 'judged' : 'unjudged'
  const step = stepOf(before.outcome, after.outcome)
  const worse = step > 0 || reasons.began.length > 0
  const better = step < 0 || reasons.ceased.length > 0
  if (worse || better) return worse && better ? 'both' : worse ? 'worse' : 'better'
  const isOther =
    before.sha256 !== after.sha256 ||
    before.outcome !== after.outcome ||
    before.result !== after.result ||
    before.flaky !== after.flaky ||
    hasOtherSignals
  return isOther ? 'other' : undefined
}

/** The steps that an outcome went down the scale; 0 if one of the outcomes is not on it. */
function stepOf(before: string | null, after: string | null): number {
  if (before === null || after === null || !isOnScale(before) || !isOnScale(after)) return 0
  return scale.indexOf(after) - scale.indexOf(before)
}

const failing = ({ reasons }: ReportCase): Reason[] => reasons.filter(({ known }) => !known)

function turnover<Each>(
  before: readonly Each[] = [],
  after: readonly Each[] = [],
  keyOf: (each: Each) => string,
): Turnover<Each> {
  const [was, is] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  return {
    began: after.filter((each) => !was.has(keyOf(each))),
    ceased: before.filter((each) => !is.has(keyOf(each))),
  }
}

function worstFirst(a: CaseDiff, b: CaseDiff): number {
  const [one, other] = [a.after ?? a.before, b.after ?? b.before]
  return caseChanges.indexOf(a.change) - caseChanges.indexOf(b.change) || (one && other ? byPlace(one, other) : 0)
}

/** The rates that changed; a policy may limit the same share twice. */
function rateDiffs(before: readonly RateReport[], after: readonly RateReport[]): RateDiff[] {
  const unmatched = [...before]
  const pairs = after.map((rate): RateDiff => {
    const at = unmatched.findIndex((was) => isSameRate(was, rate))
    const found = at < 0 ? undefined : unmatched.splice(at, 1)[0]
    return { ...limitOf(rate), before: found ? pick(found, rateFields) : null, after: pick(rate, rateFields) }
  })
  const gone = unmatched.map((rate): RateDiff => ({ ...limitOf(rate), before: pick(rate, rateFields), after: null }))
  return [...pairs, ...gone].filter((each) => canonicalJson(each.before) !== canonicalJson(each.after))
}

const limitOf = (rate: RateReport): Pick<RateReport, 'of' | 'by' | 'slice'> => pick(rate, ['of', 'by', 'slice'])

const isSameRate = (a: RateReport, b: RateReport): boolean => canonicalJson(limitOf(a)) === canonicalJson(limitOf(b))

const hasNewFailingRate = (before: CheckReport, after: CheckReport): boolean =>
  after.rates.filter(failsCheck).some((rate) => !before.rates.some((was) => isSameRate(was, rate) && failsCheck(was)))

function lineOf({ worse, counts, cases, comparable, rates, lost, exit }: Omit<ReportDiff, 'line'>): string {
  const failing = cases.filter((each) => isWorse(each) && each.reasons.began.length > 0).length
  const changes = {
    worse: counts.worse + counts.both,
    better: counts.better,
    'no longer judged': counts.unjudged,
    'judged now': counts.judged,
    added: counts.added,
    replaced: counts.replaced,
    gone: counts.gone,
    'otherwise changed': counts.other,
  }
  const parts = Object.entries(changes).flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []))
  const changed = parts.length > 0 ? parts.join(', ') : 'no transcript changed'
  const more = [
    ...(lost > 0 ? [`${count(lost, 'judgement')} lost`] : []),
    ...(failing > 0 ? [`${count(failing, 'new finding')}`] : []),
    ...(rates.length > 0 ? [`${count(rates.length, 'rate')} changed`] : []),
    ...(comparable ? [] : ['not comparable']),
  ]
  const isCompared = worse || !comparable || exit === gateExits.passed
  return `${worse ? 'worse' : isCompared ? 'not worse' : 'could not judge'}: ${[changed, ...more].join('; ')}`
}

interface Pair {
  before: ReportCase | undefined
  after: ReportCase | undefined
  /** The two share their place alone. */
  isReplaced?: boolean
}

/** Pair transcripts as `matchContent` does, and the others by file, record and part. */
function matchCases(before: readonly ReportCase[], after: readonly ReportCase[]): Pair[] {
  const { entries, missing } = matchContent(before, after)
  const byPath = grouped(missing, ({ path }) => plainPath(path))
  const pairs = after.map((each, at): Pair => {
    const found = entries[at]
    if (found) return { before: found, after: each }
    const others = byPath.get(plainPath(each.path)) ?? []
    const nth = others.findIndex((other) => isSamePlace(other, each))
    const [replaced] = nth < 0 ? [] : others.splice(nth, 1)
    return { before: replaced, after: each, isReplaced: replaced !== undefined }
  })
  return [...pairs, ...[...byPath.values()].flat().map((each): Pair => ({ before: each, after: undefined }))]
}

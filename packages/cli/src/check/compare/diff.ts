import { type CheckReport, type RateReport, type Reason, type ReportCase, scale } from '@svc/report-viewer'
import { canonicalJson } from '../../canonical.js'
import { count } from '../../terminal/index.js'
import { isOnScale } from '../policy/index.js'
import { failsCheck } from '../rates.js'
import { byPlace, withKeys } from './case-keys.js'
import { differences, policies, shareFields } from './comparable.js'
import {
  type CaseDiff,
  type CaseSide,
  type Move,
  moves,
  type RateDiff,
  type RateSide,
  type ReportDiff,
  type ReportSide,
  type Turnover,
} from './report-diff.js'

/** What changed from one report to another. */
export function diffReports(before: CheckReport, after: CheckReport): ReportDiff {
  const [judge, shares] = [differences(before, after), policies(before, after, shareFields)]
  const pairs = matchCases(before.cases, after.cases)
  const cases = pairs.flatMap((pair) => caseDiff(pair) ?? []).sort(worstFirst)
  const tally = Object.fromEntries([...moves, 'same'].map((move) => [move, 0])) as ReportDiff['moves']
  for (const { move } of cases) tally[move]++
  const diff = {
    schema: 'svc/report-diff@1' as const,
    worse: cases.some(isWorse) || exceeds(before, after),
    comparable: judge.length === 0,
    unlike: [...judge, ...shares].map(({ what, values: [one, other] }) => ({ what, before: one, after: other })),
    before: reportSide(before),
    after: reportSide(after),
    moves: { ...tally, same: pairs.length - cases.length },
    rates: rateDiffs(before.rates, after.rates),
    cases,
  }
  return { ...diff, line: lineOf(diff) }
}

/** Whether a transcript fails by what it did not fail by, or has a worse outcome. */
const isWorse = ({ move, reasons }: CaseDiff): boolean =>
  move === 'worse' || move === 'both' || ((move === 'added' || move === 'judged') && reasons.began.length > 0)

function caseDiff({ before, after }: Pair): CaseDiff | undefined {
  const reasons = turnover(before && failing(before), after && failing(after), reasonKey)
  const signals = turnover(before?.signals, after?.signals, ({ key }) => key)
  const move = moveOf({ before, after }, reasons, signals.began.length + signals.ceased.length > 0)
  if (!move) return undefined
  return { move, before: before ? caseSide(before) : null, after: after ? caseSide(after) : null, reasons, signals }
}

function moveOf({ before, after }: Pair, reasons: Turnover<Reason>, hasOtherSignals: boolean): Move | undefined {
  if (!before || !after) return before ? 'gone' : 'added'
  const [was, is] = [before.result !== 'not judged', after.result !== 'not judged']
  if (was !== is) return is ? 'judged' : 'unjudged'
  const step = stepOf(before.outcome, after.outcome)
  const worse = step > 0 || reasons.began.length > 0
  const better = step < 0 || reasons.ceased.length > 0
  if (worse || better) return worse && better ? 'both' : worse ? 'worse' : 'better'
  const isOther =
    before.outcome !== after.outcome ||
    before.result !== after.result ||
    before.flaky !== after.flaky ||
    hasOtherSignals
  return isOther ? 'other' : undefined
}

/** How far an outcome went down the scale; 0 where one of them is not on it. */
function stepOf(before: string | null, after: string | null): number {
  if (before === null || after === null || !isOnScale(before) || !isOnScale(after)) return 0
  return scale.indexOf(after) - scale.indexOf(before)
}

const failing = ({ reasons }: ReportCase): Reason[] => reasons.filter(({ known }) => !known)

/** A transcript that fails by its outcome fails by that, however bad it is. */
const reasonKey = (reason: Reason): string =>
  reason.rule === 'outcome' ? reason.rule : `${reason.rule} ${reason.signal}`

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

const caseSide = ({ path, record, part, name, line, column, result, outcome, gap, flaky }: ReportCase): CaseSide => ({
  ...{ path, record, part, name, line, column, result, outcome, gap, flaky },
})

function reportSide(report: CheckReport): ReportSide {
  const { verdict, exit, line, annotator, versions, total, judged, results, outcomes, signals, flaky } = report
  return { verdict, exit, line, annotator, versions, total, judged, results, outcomes, signals, flaky }
}

function worstFirst(a: CaseDiff, b: CaseDiff): number {
  const [one, other] = [a.after ?? a.before, b.after ?? b.before]
  return moves.indexOf(a.move) - moves.indexOf(b.move) || (one && other ? byPlace(one, other) : 0)
}

const rateSide = ({ max, hits, n, verdict }: RateReport): RateSide => ({ max, hits, n, verdict })

/** Those that changed; a policy may bound the same share twice. */
function rateDiffs(before: readonly RateReport[], after: readonly RateReport[]): RateDiff[] {
  const left = [...before]
  const pairs = after.map((rate) => {
    const at = left.findIndex(({ of }) => canonicalJson(of) === canonicalJson(rate.of))
    const [found] = at < 0 ? [] : left.splice(at, 1)
    return { of: rate.of, before: found ? rateSide(found) : null, after: rateSide(rate) as RateSide | null }
  })
  const gone = left.map((rate) => ({ of: rate.of, before: rateSide(rate), after: null }))
  return [...pairs, ...gone].filter((pair) => canonicalJson(pair.before) !== canonicalJson(pair.after))
}

/** Whether a rate fails that did not. */
const exceeds = (before: CheckReport, after: CheckReport): boolean =>
  after.rates
    .filter(failsCheck)
    .some((rate) => !before.rates.some((was) => canonicalJson(was.of) === canonicalJson(rate.of) && failsCheck(was)))

function lineOf({ worse, moves, cases, comparable, rates }: Omit<ReportDiff, 'line'>): string {
  const failing = cases.filter((each) => isWorse(each) && each.reasons.began.length > 0).length
  const told = {
    ...{ worse: moves.worse + moves.both, better: moves.better, 'no longer judged': moves.unjudged },
    ...{ 'judged now': moves.judged, added: moves.added, gone: moves.gone, 'otherwise changed': moves.other },
  }
  const parts = Object.entries(told).flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []))
  const changed = parts.length > 0 ? parts.join(', ') : 'no transcript changed'
  const more = [
    ...(failing > 0 ? [`${count(failing, 'new finding')}`] : []),
    ...(rates.length > 0 ? [`${count(rates.length, 'rate')} changed`] : []),
    ...(comparable ? [] : ['not comparable']),
  ]
  return `${worse ? 'worse' : 'not worse'}: ${[changed, ...more].join('; ')}`
}

/** A transcript in both reports, or in one of them. */
interface Pair {
  before: ReportCase | undefined
  after: ReportCase | undefined
}

/**
 * Which transcripts of two reports are the same: those of one file, record and part, and of the others those of a name
 * that nothing else is left with, since a file may be moved.
 */
function matchCases(before: readonly ReportCase[], after: readonly ReportCase[]): Pair[] {
  const left = new Map(withKeys(before).map(({ key, each }) => [key, each]))
  const pairs: Pair[] = []
  const alone: ReportCase[] = []
  for (const { key, each } of withKeys(after)) {
    const found = left.get(key)
    if (found) pairs.push({ before: found, after: each })
    else alone.push(each)
    left.delete(key)
  }
  const named = onlyOnes([...left.values()])
  const sought = onlyOnes(alone)
  const moved = new Set<ReportCase>()
  for (const each of alone) {
    const found = sought.get(each.name) && named.get(each.name)
    if (found) moved.add(found)
    pairs.push({ before: found ?? undefined, after: each })
  }
  for (const each of left.values()) if (!moved.has(each)) pairs.push({ before: each, after: undefined })
  return pairs
}

/** The transcripts whose name no other has; undefined for a name of several. */
function onlyOnes(cases: readonly ReportCase[]): Map<string, ReportCase | undefined> {
  const named = new Map<string, ReportCase | undefined>()
  for (const each of cases) named.set(each.name, named.has(each.name) ? undefined : each)
  return named
}

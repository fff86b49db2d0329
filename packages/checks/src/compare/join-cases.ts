import { canonicalJson } from '@svc/text'
import { identityKey } from '../identity.js'
import { badness, type CheckReport, caseLabel, type ReportCase } from '../report/index.js'
import { pick } from '../values.js'
import { byPlace, isSamePlace } from './comparable.js'

/**
 * The cases of all reports, each transcript once, whatever the order of the reports: of two results the worse one, but any
 * judgement instead of none. `disputed`: the labels of those that two reports judged differently.
 */
export function joinCases(reports: readonly Pick<CheckReport, 'cases'>[]): { cases: ReportCase[]; disputed: string[] } {
  const joined = new Map<string, ReportCase>()
  const disputed = new Set<string>()
  for (const next of reports.flatMap(({ cases }) => cases)) {
    const key = identityKey(next)
    const earlier = joined.get(key)
    if (earlier && isDisputed(earlier, next)) disputed.add(key)
    joined.set(key, earlier ? withRuns(worse(earlier, next), askedIn(earlier) + askedIn(next)) : next)
  }
  const cases = [...joined.values()].sort((a, b) => byPlace(a, b) || (identityKey(a) < identityKey(b) ? -1 : 1))
  const of = cases.filter((each) => disputed.has(identityKey(each)))
  return { cases, disputed: of.map(caseLabel) }
}

function isDisputed(a: ReportCase, b: ReportCase): boolean {
  const resultOf = (each: ReportCase) => canonicalJson(pick(each, ['result', 'outcome', 'reasons']))
  return a.result !== 'not judged' && b.result !== 'not judged' && resultOf(a) !== resultOf(b)
}

/** The number of runs that asked about a transcript and judged it; an answer from the cache is that of another run. */
const askedIn = (each: ReportCase): number => each.runs ?? Number(isAsked(each))

const isAsked = ({ result, answer, answers = [] }: ReportCase): boolean =>
  result !== 'not judged' && (answer === 'asked' || answers.some(({ from }) => from === 'asked'))

function withRuns({ runs: _, ...each }: ReportCase, runs: number): ReportCase {
  return runs === Number(isAsked(each)) ? each : { ...each, runs }
}

/** The greatest is kept. */
const ranks: Record<ReportCase['result'], number> = {
  failed: 5,
  known: 4,
  warned: 3,
  passed: 2,
  ignored: 1,
  'not judged': 0,
}

/** Of two results of a transcript the worse one; equal ones are merged, so that the order does not matter. */
function worse(a: ReportCase, b: ReportCase): ReportCase {
  const steps = [
    ranks[a.result] - ranks[b.result],
    Number(a.outcome !== null) - Number(b.outcome !== null),
    // Another run may close a temporary gap.
    Number(a.gap?.temporary === true) - Number(b.gap?.temporary === true),
    badness(b.outcome) - badness(a.outcome),
  ]
  const step = steps.find((each) => each !== 0)
  if (step !== undefined) return step > 0 ? a : b
  const [ofA, ofB] = [canonicalJson(coreOf(a)), canonicalJson(coreOf(b))]
  if (ofA !== ofB) return ofA > ofB ? a : b
  return isFirst(a, b) ? mergedFields(a, b) : mergedFields(b, a)
}

const placeFields = ['path', 'record', 'part', 'name', 'external_id', 'source_hash', 'tags', 'cluster'] as const
/** Fields that two runs may fill differently for the same answer. */
const volatileFields: readonly string[] = [
  ...placeFields,
  'line',
  'column',
  'answer',
  'answers',
  'usage',
  'signals',
  'turns',
  'runs',
]

const isFirst = (a: ReportCase, b: ReportCase): boolean =>
  (byPlace(a, b) || (canonicalJson(pick(a, placeFields)) < canonicalJson(pick(b, placeFields)) ? -1 : 1)) < 0

function coreOf(of: ReportCase): Record<string, unknown> {
  const signals = of.signals.map(({ line, column, ...signal }) => signal)
  return { ...Object.fromEntries(Object.entries(of).filter(([name]) => !volatileFields.includes(name))), signals }
}

const sources: readonly ReportCase['answer'][] = ['asked', 'cached', 'same', null]

/** Merge the volatile fields: those of the first place, and the richer or smaller value of each other field. */
function mergedFields(first: ReportCase, other: ReportCase): ReportCase {
  const isSame = isSamePlace(first, other)
  const turns = first.turns ?? other.turns?.map((turn) => (isSame ? turn : { ...turn, line: null, column: null }))
  const answers = [first.answers, other.answers].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))[0]
  return {
    ...first,
    ...(answers && { answers }),
    ...(isSame && place(first, other)),
    answer: sources.find((source) => source === first.answer || source === other.answer) ?? null,
    usage: canonicalJson(first.usage) < canonicalJson(other.usage) ? first.usage : other.usage,
    signals: isSame ? placed(first.signals, other.signals) : first.signals,
    ...(turns && { turns: isSame && other.turns ? placed(turns, other.turns) : turns }),
  }
}

type Place = Pick<ReportCase, 'line' | 'column'>

const placed = <Each extends Place>(a: readonly Each[], b: readonly Each[]): Each[] =>
  a.map((each, at) => ({ ...each, ...place(each, b[at] ?? each) }))

/** The known place; the first of two. */
function place(a: Place, b: Place): Place {
  const [before = a] = [a, b].sort((x, y) => order(x.line) - order(y.line) || order(x.column) - order(y.column))
  return { line: before.line, column: before.column }
}

const order = (n: number | null): number => n ?? Infinity

import { canonicalJson, count, firstLines, grouped } from '@svc/text'
import { changesIn, staleText } from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { conclude, gateExits } from '../judge/index.js'
import {
  type BaselineReport,
  type CheckReport,
  isEnoughJudged,
  type MissingTranscript,
  type ReportCase,
  sumOf,
} from '../report/index.js'
import { addedUp, pick } from '../values.js'
import { byPlace, type Keyed, type NamedReport, refuseUnmergeable, withKeys } from './comparable.js'

/**
 * Merge reports, in any order, and judge again. A case of several reports is merged into one.
 *
 * @throws {CheckError} if the reports are not comparable, or if two of them judged a case differently
 */
export function mergeReports(parts: readonly [NamedReport, ...NamedReport[]]): CheckReport {
  refuseUnmergeable(parts)
  const [{ report: first }] = parts
  const reports = parts.map(({ report }) => report)
  const cases = mergedCases(parts)
  return conclude(cases, {
    ...pick(first, ['annotator', 'service', 'options', 'attempts', 'confirm_on_fail']),
    ...(first.selection && { selection: { ...first.selection, not_selected: notSelectedIn(reports) } }),
    ...endOf(reports),
    svc_versions: union(reports.map(({ svc_versions }) => svc_versions)),
    paths: reports.every(({ paths }) => paths !== null) ? union(reports.map(({ paths }) => paths ?? [])) : null,
    notes: union(reports.map(({ notes }) => notes)),
    unmatchedPatterns: unmatchedPatternsOf(first).filter((name) =>
      reports.every((each) => unmatchedPatternsOf(each).includes(name)),
    ),
    policy: {
      ...first.policy,
      maxTokens: largest(reports.map(({ policy }) => policy.maxTokens)),
      maxFailures: largest(reports.map(({ policy }) => policy.maxFailures)),
      deadlineMs: largest(reports.map(({ policy }) => policy.deadlineMs)),
    },
    losses: mergedLosses(reports),
    redacted: addedUp(reports.flatMap(({ redacted }) => Object.entries(redacted))),
    requests: summed(reports, 'requests', ['sent', 'cached', 'same']) as CheckReport['requests'],
    usage: summed(reports, 'usage', ['tokens_in', 'tokens_out', 'latency_ms']),
    ...(reports.some(({ saved }) => saved) && { saved: summed(reports, 'saved', ['tokens_in', 'tokens_out']) }),
    baseline: mergedBaseline(reports, cases),
    left_out: mergedLeftOut(reports),
    gateExit: gateExitOf(reports),
    mustJudgeAll: reports.some(wasCutShort),
    stoppedBy: undefined,
  })
}

/** True for a run that did not pass although enough was judged: an outage or a signal ended it. */
const wasCutShort = (report: CheckReport): boolean =>
  report.verdict === 'not judged' &&
  isEnoughJudged(report, report.policy.minJudged) &&
  !report.rates.some(({ verdict }) => verdict === 'cannot tell')

function endOf(reports: readonly CheckReport[]): Pick<CheckReport, 'ended_at' | 'commit'> {
  const ended = reports.flatMap(({ ended_at }) => ended_at ?? []).sort()
  const [commit, ...others] = new Set(reports.map((report) => report.commit))
  const last = ended.at(-1)
  return { ...(last && { ended_at: last }), ...(commit && others.length === 0 && { commit }) }
}

/** Reports of the same paths found the same transcripts, which count once. */
function notSelectedIn(reports: readonly CheckReport[]): number {
  const byPaths = grouped(reports, ({ paths }) => canonicalJson(paths)).values()
  const counts = [...byPaths].map((of) => Math.max(...of.map(({ selection }) => selection?.not_selected ?? 0)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Each text once; sorted if there are several reports. */
const union = (lists: readonly (readonly string[])[]): readonly string[] =>
  lists.length === 1 && lists[0] ? lists[0] : [...new Set(lists.flat())].sort()

const unmatchedPatternsOf = ({ unmatched }: CheckReport): string[] =>
  unmatched.flatMap(({ kind, name }) => (kind === 'pattern' ? [name] : []))

function mergedCases(parts: readonly NamedReport[]): ReportCase[] {
  const merged = new Map<string, Source>()
  const details: string[] = []
  for (const { from, report } of parts) {
    for (const next of withKeys(report.cases)) {
      const known = merged.get(next.key)
      const each = known ? joined(known.each, next.each) : next.each
      if (each) merged.set(next.key, { ...next, each, from: known && each === known.each ? known.from : from })
      else if (known) details.push(differenceOf(known, { ...next, from }))
    }
  }
  if (details.length > 0) throw contradicting(details)
  return [...merged.values()].sort((a, b) => byPlace(a.each, b.each) || a.nth - b.nth).map(({ each }) => each)
}

type Source = Keyed<ReportCase> & { from: string }

function differenceOf(a: Source, b: Source): string {
  const { path, record, part } = a.each
  const place = `${path} record ${record}${part > 1 ? ` part ${part}` : ''}`
  const valuesOf = (name: string) => {
    const [one, other] = [a.each, b.each].map((each) => (each as unknown as Record<string, unknown>)[name])
    const isShort = [one, other].every((value) => typeof value !== 'object' && String(value).length <= 40)
    return isShort ? `${name} ${JSON.stringify(one)} and ${JSON.stringify(other)}` : name
  }
  return `${place}: ${a.from} and ${b.from} differ in ${differingFields(a.each, b.each).map(valuesOf).join(', ')}`
}

const contradicting = (details: readonly string[]): CheckError =>
  new CheckError(
    'contradicting_reports',
    `The reports contradict each other in ${count(details.length, 'transcript')}.`,
    {
      details: firstLines(details),
      hint: 'give one report of each check; if folders share names, check them from their parent folder',
    },
  )

function summed<Field extends string>(
  reports: readonly CheckReport[],
  of: 'requests' | 'usage' | 'saved',
  fields: readonly Field[],
): Record<Field, number | null> {
  const parts = reports.map((report) => (report[of] ?? {}) as Partial<Record<Field, number | null>>)
  const sum = (field: Field) => parts.reduce<number | null>((total, { [field]: part = 0 }) => sumOf(total, part), 0)
  return Object.fromEntries(fields.map((field) => [field, sum(field)])) as Record<Field, number | null>
}

function mergedLosses(reports: readonly CheckReport[]): CheckReport['losses'] {
  const losses = reports.flatMap((report) => report.losses)
  const sums = addedUp(losses.map(({ count, ...loss }) => [canonicalJson(loss), count]))
  return Object.entries(sums).map(([loss, count]) => ({ ...JSON.parse(loss), count }))
}

/** The skipped paths by reason. A report names only the first paths, so the count is at least the largest one. */
function mergedLeftOut(reports: readonly CheckReport[]): CheckReport['left_out'] {
  const all = grouped(
    reports.flatMap(({ left_out }) => left_out),
    ({ why }) => why,
  )
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([why, of]) => {
      const paths = [...new Set(of.flatMap((each) => each.paths))].sort()
      return { why, count: Math.max(paths.length, ...of.map((each) => each.count)), paths }
    })
}

/** An entry is missing if no report found it. */
function mergedBaseline(reports: readonly CheckReport[], cases: readonly ReportCase[]): BaselineReport | null {
  const [first, ...others] = reports.flatMap(({ baseline }) => baseline ?? [])
  if (!first) return null
  const all = [first, ...others]
  const missing = others.reduce((left, each) => inBoth(left, each.missing), first.missing)
  const counts = changesIn(cases)
  const edited = all.reduce((sum, each) => sum + each.edited, 0)
  const updated = all.some((each) => each.updated)
  return {
    path: all.map(({ path }) => path).sort()[0] ?? first.path,
    sha256: first.sha256,
    missing: [...missing].sort(byPlace),
    counts,
    edited,
    stale: staleText(missing, counts, { edited, updated }),
    updated,
  }
}

/** An entry is outside if neither run read its file. */
function inBoth(a: readonly MissingTranscript[], b: readonly MissingTranscript[]): MissingTranscript[] {
  const left = grouped(b, keyOf)
  return a.flatMap((each) => {
    const other = left.get(keyOf(each))?.pop()
    if (!other) return []
    const { outside, ...gone } = each
    return outside && other.outside ? each : gone
  })
}

const keyOf = ({ outside: _, ...each }: MissingTranscript): string => canonicalJson(each)

/** The largest limit; no limit is larger than any. */
const largest = (budgets: readonly (number | undefined)[]): number | undefined =>
  budgets.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.max(a, b)))

/** The exit code of the failed reports if they agree; a stopped run has another one. */
function gateExitOf(reports: readonly CheckReport[]): number {
  const failed = reports.filter((report) => report.verdict === 'failed' && !stops.includes(report.exit))
  const [code = gateExits.failed, ...others] = failed.map((report) => report.exit)
  return others.every((other) => other === code) ? code : gateExits.failed
}

/** The exit codes of runs that SIGINT and SIGTERM stopped. */
const stops: readonly number[] = [130, 143]

/** Fields that two runs may fill differently for the same answer. */
const volatileFields = ['path', 'answer', 'usage', 'line', 'column', 'signals', 'turns'] as const

/**
 * Merge the cases of one transcript; undefined if they contradict each other. A judged case takes precedence over an
 * unjudged answer, and that over no answer, so that a second run completes an interrupted one.
 */
function joined(a: ReportCase, b: ReportCase): ReportCase | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (completeness(a) !== completeness(b)) return completeness(a) > completeness(b) ? a : b
  const [coreOfA, coreOfB] = [canonicalJson(coreOf(a)), canonicalJson(coreOf(b))]
  if (coreOfA === coreOfB) return mergedFields(a, b)
  if (completeness(a) > 0) return undefined
  if (isTemporary(a) !== isTemporary(b)) return isTemporary(a) ? a : b
  return coreOfA < coreOfB ? a : b
}

function differingFields(a: ReportCase, b: ReportCase): string[] {
  const [one, other] = [coreOf(a), coreOf(b)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const found = names.filter((name) => canonicalJson(one[name]) !== canonicalJson(other[name]))
  return found.length > 0 ? found : ['turns']
}

const completeness = ({ result, outcome }: ReportCase): number =>
  result !== 'not judged' ? 2 : outcome !== null ? 1 : 0

const isTemporary = ({ gap }: ReportCase): boolean => gap?.temporary === true

function coreOf(of: ReportCase): Record<string, unknown> {
  const signals = of.signals.map(({ line, column, ...signal }) => signal)
  const rest = Object.entries(of).filter(([name]) => !(volatileFields as readonly string[]).includes(name))
  return { ...Object.fromEntries(rest), signals }
}

const answers: readonly ReportCase['answer'][] = ['asked', 'cached', 'same', null]

/** Merge the volatile fields: the richer value, or the first in a fixed order, whichever report has it. */
function mergedFields(a: ReportCase, b: ReportCase): ReportCase | undefined {
  const contentOf = ({ turns }: ReportCase) => turns && canonicalJson(turns.map(({ role, content }) => [role, content]))
  if (a.turns && b.turns && contentOf(a) !== contentOf(b)) return undefined
  const turns = a.turns && b.turns ? placed(a.turns, b.turns) : (a.turns ?? b.turns)
  return {
    ...a,
    path: [a.path, b.path].sort()[0] ?? a.path,
    ...place(a, b),
    answer: answers.find((answer) => answer === a.answer || answer === b.answer) ?? null,
    usage: canonicalJson(a.usage) < canonicalJson(b.usage) ? a.usage : b.usage,
    signals: placed(a.signals, b.signals),
    ...(turns && { turns }),
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

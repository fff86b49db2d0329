import { canonicalJson, count, firstNames, grouped } from '@svc/text'
import { changesIn, staleText } from '../baseline/index.js'
import { conclude, gateExits, stoppedExits } from '../judge/index.js'
import {
  type BaselineReport,
  type CheckReport,
  type MissingTranscript,
  type NamedReport,
  type ReportCase,
  sumOf,
} from '../report/index.js'
import { addedUp, pick } from '../values.js'
import { type Against, comparedWith, refuseOtherReference } from './against.js'
import { byPlace, refuseUnmergeable, type Source, sourcesOf } from './comparable.js'
import { refuseContradictory, refuseOtherTotal } from './consistent.js'
import { joinCases } from './join-cases.js'
import { namedReports } from './read-report.js'
import { mergedShards, refuseOtherShards } from './shards.js'

/** Options of `mergeReports`. */
export interface MergeOptions {
  /** The number of shards, each of which must be there once. Default: the reports of shards say it, and one may be there again. */
  expect?: number | undefined
  /** The report that the merge is compared with: that of the shards, if these were checked against one. Default: no comparison. */
  against?: Against | undefined
}

/**
 * Merge reports, in any order, and judge again. A transcript of several reports counts once, by its content: with the worse
 * of two judgements.
 *
 * @throws {CheckError} if they are no reports, are not comparable, contradict themselves, or are not those of the expected shards
 */
export function mergeReports(
  given: readonly [NamedReport, ...NamedReport[]],
  { expect, against }: MergeOptions = {},
): CheckReport {
  const named = namedReports('mergeReports', given)
  if (against?.report) namedReports('mergeReports: against', [against])
  if (expect !== undefined) refuseOtherShards(named, expect)
  refuseContradictory(against?.report ? [...named, against as NamedReport] : named)
  const { parts, merged_from, notes: repeats } = withoutRepeats(named)
  refuseUnmergeable(parts)
  refuseOtherReference(parts, against)
  const [{ report: first }] = parts.filter(({ report }) => report.total > 0).concat(parts) as [NamedReport]
  const reports = parts.map(({ report }) => report)
  const { cases, disputed } = joinCases(reports)
  const shards = mergedShards(reports)
  if (shards.missingShards?.length === 0) refuseOtherTotal(parts, cases)
  const gateExit = gateExitOf(reports)
  const merged = conclude(cases, {
    ...pick(first, ['annotator', 'service', 'filters', 'options', 'attempts', 'confirm_on_fail', 'control']),
    ...(first.selection && { selection: { ...first.selection, not_selected: notSelectedIn(reports) } }),
    ...endOf(reports),
    ...shards,
    svc_versions: union(reports.map(({ svc_versions }) => svc_versions)),
    paths: reports.every(({ paths }) => paths !== null) ? union(reports.map(({ paths }) => paths ?? [])) : null,
    ...(merged_from.length > 1 && { merged_from }),
    notes: [...union(reports.map(({ notes }) => notes)), ...repeats, ...disputeNotes(disputed)],
    unmatchedPatterns: unmatchedPatternsOf(first).filter((name) =>
      reports.every((each) => unmatchedPatternsOf(each).includes(name)),
    ),
    policy: {
      ...first.policy,
      maxTokens: largest(reports.map(({ policy }) => policy.maxTokens)),
      maxCost: largest(reports.map(({ policy }) => policy.maxCost)),
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
    gateExit,
    mustJudgeAll: reports.some(({ must_judge_all }) => must_judge_all),
    stoppedBy: undefined,
  })
  return against ? comparedWith(merged, against, gateExit) : merged
}

/**
 * The reports without those that are there twice, by themselves or within a merge, and the reports behind them. A note names
 * each report that counts once, and each that counts twice, because two merges hold it.
 */
function withoutRepeats(named: readonly NamedReport[]) {
  const behind = named.map((each) => ({ each, sources: sourcesOf(each) }))
  const held = new Map<string, Source>()
  const left = new Set<NamedReport>()
  const notes: string[] = []
  // A merge holds more than each of its parts.
  for (const { each, sources } of [...behind].sort((a, b) => b.sources.length - a.sources.length)) {
    const again = sources.filter(({ sha256 }) => held.has(sha256))
    const names = firstNames(again.map(({ from, sha256 }) => held.get(sha256)?.from ?? from))
    if (again.length === sources.length) notes.push(`${each.from} repeats ${names}, and counts once`)
    else {
      left.add(each)
      if (again.length > 0) notes.push(`${each.from} and another merge hold ${names}, whose requests count twice`)
      for (const source of sources) if (!held.has(source.sha256)) held.set(source.sha256, source)
    }
  }
  return {
    parts: named.filter((each) => left.has(each)) as [NamedReport, ...NamedReport[]],
    merged_from: [...held.values()].sort(byName),
    notes: notes.sort(),
  }
}

const byName = (a: Source, b: Source): number => {
  const [one, other] = [`${a.from} ${a.sha256}`, `${b.from} ${b.sha256}`]
  return one < other ? -1 : Number(one > other)
}

const disputeNotes = (labels: readonly string[]): string[] =>
  labels.length === 0
    ? []
    : [
        `the reports judge ${count(labels.length, 'transcript')} differently, and the worse result counts: ${firstNames(labels)}`,
      ]

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
  const [accepted, dropped] = [all.flatMap((each) => each.accepted ?? []), all.flatMap((each) => each.dropped ?? [])]
  return {
    path: all.map(({ path }) => path).sort()[0] ?? first.path,
    sha256: first.sha256,
    missing: [...missing].sort(byPlace),
    counts,
    edited,
    stale: staleText(missing, counts, { edited, updated }),
    updated,
    ...(updated && { accepted: accepted.sort(byPlace), dropped: dropped.sort(byPlace) }),
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
  const failed = reports.filter((report) => report.verdict === 'failed' && !stoppedExits.includes(report.exit))
  const [code = gateExits.failed, ...others] = failed.map((report) => report.exit)
  return others.every((other) => other === code) ? code : gateExits.failed
}

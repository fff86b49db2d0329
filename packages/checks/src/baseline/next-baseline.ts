import { count, firstLines } from '@svc/text'
import { type AcceptedFinding, waiverOf } from '../judge/index.js'
import {
  type Acceptance,
  acceptedText,
  type CheckReport,
  caseLabel,
  type NewlyAccepted,
  type Reason,
  type ReportCase,
} from '../report/index.js'
import { pick } from '../values.js'
import { entryOn, foundIn } from './acceptance.js'
import {
  areAlike,
  type Baseline,
  type BaselineEntry,
  type CheckedPlaces,
  type Identity,
  matchBaseline,
  type NextBaseline,
} from './baseline.js'

/** The number of findings, or of entries, that a note names. */
const mostNamed = 10

/** The circumstances of an update. */
export interface Update {
  places: CheckedPlaces
  /** Why, by whom and until when the new findings are accepted. */
  acceptance: Acceptance
  /** As in `2026-11-27`. */
  today: string
}

/** All results as a baseline; undefined if a result is missing or answers have different versions. */
export function foundBaseline(
  made: Pick<Baseline, 'annotator' | 'options'>,
  identities: readonly Identity[],
  cases: readonly ReportCase[],
): Baseline | undefined {
  const [first] = cases
  if (first?.annotator_version == null || first.taxonomy_version === null) return undefined
  const { annotator_version, taxonomy_version } = first
  const transcripts: BaselineEntry[] = []
  for (const [index, each] of cases.entries()) {
    const isOf = each.annotator_version === annotator_version && each.taxonomy_version === taxonomy_version
    const identity = identities[index]
    if (each.result === 'not judged' || !isOf || each.outcome === null || !identity) return undefined
    const { name, outcome, signals, reasons } = each
    const fired = [...new Set(signals.map(({ key }) => key))].sort()
    transcripts.push({ ...identity, name, outcome, signals: fired, findings: findingsOf(reasons) })
  }
  const options = Object.keys(made.options ?? {}).length > 0 ? { options: made.options } : {}
  const head = { schema: 'svc/baseline@2' as const, annotator: made.annotator, annotator_version, taxonomy_version }
  return { ...head, ...options, transcripts }
}

/** Broken rules as a baseline has them, sorted. */
export const findingsOf = (reasons: readonly Reason[]): AcceptedFinding[] =>
  reasons
    .map((reason) => (reason.rule === 'outcome' ? { rule: reason.rule } : pick(reason, ['rule', 'signal'])))
    .sort(byRule)

function byRule(a: AcceptedFinding | Reason, b: AcceptedFinding | Reason): number {
  const keyOf = (of: AcceptedFinding | Reason) => `${of.rule} ${'signal' in of ? of.signal : ''}`
  return keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0
}

/**
 * The baseline after a check of `cases`: all results `now`, and earlier entries that were not checked. A finding that the
 * earlier baseline accepts keeps its reason, author and expiry. Entries are sorted by place.
 */
export function nextBaseline(
  before: Baseline | undefined,
  now: Baseline,
  cases: readonly ReportCase[],
  { places: { isOutside, isThere }, acceptance, today }: Update,
): NextBaseline {
  const { entries, missing } = before ? matchBaseline(before, now.transcripts) : { entries: [], missing: [] }
  // A transcript found elsewhere may be a copy of one that still exists.
  const copied = entries.flatMap((entry) => (entry && isOutside(entry.path) && isThere(entry.path) ? entry : []))
  const isSame = before === undefined || areAlike(before, now)
  const kept = new Set(isSame ? [...missing.filter(({ path }) => isOutside(path)), ...copied] : [])
  const accepted: NewlyAccepted[] = []
  const transcripts = now.transcripts.map((entry, at) => {
    const earlier = entries[at] && entryOn(entries[at], today)
    const findings = entry.findings.map((finding) => {
      const waiver = waiverOf(finding, entry.outcome, earlier)
      if (waiver.known) return { ...finding, ...waiver.accepted }
      const each = cases[at]
      const reason = each?.reasons.find((of) => byRule(of, finding) === 0)
      if (each && reason) accepted.push(foundIn(each, reason))
      return { ...finding, ...acceptance }
    })
    return { ...entry, findings }
  })
  return {
    baseline: { ...now, transcripts: [...transcripts, ...kept].sort(byPlace) },
    accepted,
    kept: kept.size,
    dropped: [...missing, ...copied].filter((entry) => !kept.has(entry)),
    isLike: isSame,
  }
}

const byPlace = (a: BaselineEntry, b: BaselineEntry): number =>
  (a.path === b.path ? 0 : a.path < b.path ? -1 : 1) || a.record - b.record || a.part - b.part

/** Lines for the user: what an update changed, why a baseline was not written, or that it is out of date. */
export function baselineLines(
  { baseline, judged, total, versions }: Pick<CheckReport, 'baseline' | 'judged' | 'total' | 'versions'>,
  update: Pick<Update, 'acceptance'> | undefined,
  written: NextBaseline | undefined,
): string[] {
  if (written) return changeLines(written, Object.keys(update?.acceptance ?? {}).length > 0)
  if (update) {
    const why =
      versions.length > 1
        ? 'the annotator changed its version during the run; run the command again'
        : `${total - judged} of ${total} transcripts were not judged`
    return [`note: the baseline was not written: ${why}`]
  }
  if (!baseline?.stale) return []
  return [`note: the baseline is out of date: ${baseline.stale}; run with --update-baseline to refresh it`]
}

function changeLines({ accepted, kept, dropped, isLike }: NextBaseline, hasReason: boolean): string[] {
  const why = isLike ? 'not found again' : 'found by another annotator, in another version, or with other options'
  return [
    ...listed(
      `accepting ${count(accepted.length, 'new finding')}`,
      accepted.map((each) => acceptedText(each)),
    ),
    ...(kept > 0 ? [`note: the baseline keeps ${count(kept, 'transcript')} outside of what was checked`] : []),
    ...listed(`note: the baseline drops ${count(dropped.length, 'transcript')} ${why}`, dropped.map(caseLabel)),
    ...(hasReason && accepted.length === 0 ? ['note: no finding is new: no reason or expiry was recorded'] : []),
  ]
}

/** A head with the first of many lines below it. A single line follows the head. */
function listed(head: string, lines: readonly string[]): string[] {
  if (lines.length < 2) return lines.map((line) => `${head}: ${line}`)
  return [`${head}:`, ...firstLines(lines, mostNamed).map((line) => `  ${line}`)]
}

import type { Acceptance, NewlyAccepted, Reason, ReportCase } from '../report/index.js'
import { pick } from '../values.js'
import {
  type AcceptedFinding,
  acceptedFor,
  type BaselineEntry,
  foundIn,
  hasReason,
  type Identity,
  waiverOf,
} from './acceptance.js'
import { areAlike, type Baseline, type CheckedPlaces, matchBaseline, type NextBaseline } from './baseline.js'

/** The circumstances of an update. */
export interface Update {
  places: CheckedPlaces
  /** Why, by whom and until when the new findings are accepted. */
  acceptance: Acceptance
  /** As in `2026-11-27`. */
  today: string
  /** Default: the findings of all. */
  accepts?: ((each: ReportCase) => Accepts) | undefined
}

/**
 * The part of an update that concerns a transcript: `findings` enters it with all of them, `no finding` only if none is new,
 * and `nothing` leaves its entry as it is.
 */
export type Accepts = 'findings' | 'no finding' | 'nothing'

/**
 * Writes a baseline that accepts all findings of a check. `next` makes it from the baseline in the file, which another check
 * may have updated meanwhile, and gives the new findings this reason, author and expiry. Write its `baseline`, and return it.
 * If this rejects, the findings are not accepted, and `baselineFailure` of the result has the error.
 */
export type BaselineWriter = (
  next: (before: Baseline | undefined, acceptance?: Acceptance) => NextBaseline,
) => Promise<NextBaseline>

/** All results as a baseline; undefined if a result is missing or answers have different versions. */
export function foundBaseline(
  made: Readonly<Pick<Baseline, 'annotator' | 'options'>>,
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
  { places: { isOutside, isThere }, acceptance, today, accepts = () => 'findings' }: Update,
): NextBaseline {
  const { entries, missing } = before ? matchBaseline(before, now.transcripts) : { entries: [], missing: [] }
  const accepted: NewlyAccepted[] = []
  const left = new Set<BaselineEntry>()
  const transcripts = now.transcripts.flatMap((entry, at): BaselineEntry[] => {
    const before = entries[at]
    const each = cases[at]
    const earlier = before && acceptedFor(before, entry.sha256, today)
    const newlyAccepted: NewlyAccepted[] = []
    const findings = entry.findings.map((finding) => {
      const waiver = waiverOf(finding, entry.outcome, earlier)
      if (waiver.known) return { ...finding, ...waiver.accepted }
      const reason = each?.reasons.find((of) => byRule(of, finding) === 0)
      if (each && reason) newlyAccepted.push(foundIn(each, reason))
      return { ...finding, ...acceptance }
    })
    const accepting = each ? accepts(each) : 'findings'
    if (accepting === 'nothing' || (accepting === 'no finding' && newlyAccepted.length > 0)) {
      if (before) left.add(before)
      return before ? [before] : []
    }
    accepted.push(...newlyAccepted)
    const isForAny = before?.anyContent === true && entry.external_id !== undefined && findings.every(hasReason)
    return [{ ...entry, ...(isForAny && { anyContent: true as const }), findings }]
  })
  // A transcript found elsewhere may be a copy of one that still exists.
  const copied = entries.flatMap((entry) =>
    entry && !left.has(entry) && isOutside(entry.path) && isThere(entry.path) ? entry : [],
  )
  const isSame = before === undefined || areAlike(before, now)
  const kept = new Set(isSame ? [...missing.filter(({ path }) => isOutside(path)), ...copied] : [])
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

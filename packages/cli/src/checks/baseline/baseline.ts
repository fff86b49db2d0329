import { canonicalJson } from '../../canonical.js'
import type { Before } from '../judge.js'
import { isOnScale, type Rate } from '../policy/policy.js'
import { isHit } from '../rates.js'
import type { BaselineReport, Change, ReportCase } from '../report.js'
import { areSameVersions, type Versions } from '../versions.js'

/** What tells a transcript from others, across runs. */
export interface Identity {
  /** Its file from the folder of the baseline, its record in it and its part from 1. */
  path: string
  record: number
  part: number
  /** The id that its file gives it. */
  external_id?: string | undefined
  /** SHA-256 of the messages as they are sent, hex. */
  sha256: string
}

/** A transcript as it was when the baseline was written. */
export interface BaselineEntry extends Identity, Before {
  name: string
}

/** What was accepted of a check: an outcome and the fired signals of each transcript, by one version of an annotator. */
export interface Baseline extends Versions {
  schema: 'svc/baseline@1'
  annotator: string
  /** What the annotator was asked with; not there where that is nothing. */
  options?: Options | undefined
  transcripts: BaselineEntry[]
}

export type Options = Record<string, unknown>

/** Whether annotation options say the same. */
export const areSameOptions = (a: Options | undefined, b: Options | undefined): boolean =>
  canonicalJson(a ?? {}) === canonicalJson(b ?? {})

/** Whether two baselines say what the same annotator found, in the same version and with the same options. */
export const isLike = (a: Baseline, b: Baseline): boolean =>
  a.annotator === b.annotator && areSameVersions(a, b) && areSameOptions(a.options, b.options)

/** Which entry each transcript is, and which entries are none of them. */
export interface Matched {
  entries: (BaselineEntry | undefined)[]
  missing: BaselineEntry[]
}

/** What is looked at to find a transcript again, from the surest on. An edited one keeps its id, or its place. */
const ways: ((identity: Identity) => string | undefined)[] = [
  ({ path, record, part, sha256 }) => JSON.stringify([path, record, part, sha256]),
  ({ external_id, part }) => external_id && JSON.stringify([external_id, part]),
  ({ sha256 }) => sha256,
  ({ path, record, part }) => JSON.stringify([path, record, part]),
]

/** Finds the entry of each transcript; no entry is given twice. */
export function matchBaseline({ transcripts }: Baseline, identities: readonly Identity[]): Matched {
  const entries: (BaselineEntry | undefined)[] = identities.map(() => undefined)
  let left = [...transcripts]
  for (const keyOf of ways) {
    const byKey = new Map<string, BaselineEntry[]>()
    for (const entry of left) {
      const key = keyOf(entry)
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), entry])
    }
    const taken = new Set<BaselineEntry>()
    for (const [index, identity] of identities.entries()) {
      const key = entries[index] ? undefined : keyOf(identity)
      const entry = key === undefined ? undefined : byKey.get(key)?.shift()
      if (!entry) continue
      entries[index] = entry
      taken.add(entry)
    }
    left = left.filter((entry) => !taken.has(entry))
  }
  return { entries, missing: left }
}

/** The share that a rate had; null where the baseline has nothing to tell it of. */
export function shareIn({ transcripts }: Pick<Baseline, 'transcripts'>, rate: Rate): number | null {
  const graded = transcripts.filter(({ outcome }) => isOnScale(outcome))
  if (graded.length === 0) return null
  const hits = graded.filter(({ outcome, signals }) => isHit(rate, outcome, (key) => signals.includes(key)))
  return hits.length / graded.length
}

/** What there is to say of a baseline that cases were held against. */
export function baselineReport(
  path: string,
  cases: readonly ReportCase[],
  { entries, missing }: Matched,
  identities: readonly Identity[],
  { isOutside, updated }: { isOutside(path: string): boolean; updated: boolean },
): BaselineReport {
  const counts: Record<Change, number> = { new: 0, worse: 0, same: 0, better: 0 }
  for (const { change } of cases) if (change) counts[change]++
  const edited = entries.filter((entry, index) => entry && entry.sha256 !== identities[index]?.sha256).length
  const unseen = missing.map(({ path, record, part, name, outcome }) => ({
    ...{ path, record, part, name, outcome },
    ...(isOutside(path) && { outside: true }),
  }))
  return { path, missing: unseen, counts, edited, stale: staleText(unseen, counts, edited, updated), updated }
}

/**
 * What makes a baseline out of date, in words; null where nothing does. That something was not looked at does not: writing
 * the baseline anew would keep it.
 */
export function staleText(
  missing: BaselineReport['missing'],
  counts: BaselineReport['counts'],
  edited: number,
  updated: boolean,
): string | null {
  const gone = missing.filter(({ outside }) => !outside).length
  const parts = [
    ...(gone > 0 ? [`${gone} of its transcripts ${gone === 1 ? 'is' : 'are'} not there any more`] : []),
    ...(edited > 0 ? [`${edited} ${edited === 1 ? 'has' : 'have'} other words now`] : []),
    ...(counts.new > 0 ? [`${counts.new} ${counts.new === 1 ? 'is' : 'are'} not in it`] : []),
    ...(counts.better > 0 ? [`${counts.better} did better than it says`] : []),
  ]
  return updated || parts.length === 0 ? null : parts.join(', ')
}

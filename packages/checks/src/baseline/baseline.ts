import { dirname, isAbsolute, posix, relative, resolve, sep } from 'node:path'
import { canonicalJson, isStdin, matcherOf, patternProblem } from '@svc/text'
import { areSameVersions, type Versions } from '../ask/index.js'
import type { Files } from '../files.js'
import { matchContent } from '../identity.js'
import type { BaselineResult } from '../judge/index.js'
import type { BaselineReport, ReportCase } from '../report/index.js'
import { pick, tallyOf } from '../values.js'

/** The identity of a transcript across runs. */
export interface Identity {
  /** Relative to the folder of the baseline. */
  path: string
  /** The record in the file, from 1. */
  record: number
  /** The part of a transcript that was split, from 1. */
  part: number
  /** The id of the transcript in its own system. */
  external_id?: string | undefined
  /** SHA-256 of the messages in hex. */
  sha256: string
}

/** The accepted result of a transcript. */
export interface BaselineEntry extends Identity, BaselineResult {
  /** The name of the transcript. */
  name: string
}

/** The accepted outcome and signals of each transcript, from one version of an annotator. */
export interface Baseline extends Versions {
  /** The format of the document. */
  schema: 'svc/baseline@1'
  /** The id of the annotator. */
  annotator: string
  /** Absent if there are none. */
  options?: Options | undefined
  /** The accepted results, sorted by place. */
  transcripts: BaselineEntry[]
}

export type Options = Record<string, unknown>

export const areSameOptions = (a: Options | undefined, b: Options | undefined): boolean =>
  canonicalJson(a ?? {}) === canonicalJson(b ?? {})

const areAlike = (a: Baseline, b: Baseline): boolean =>
  a.annotator === b.annotator && areSameVersions(a, b) && areSameOptions(a.options, b.options)

/** The baseline entry of each transcript, and the entries without a transcript. */
export interface Matched {
  entries: (BaselineEntry | undefined)[]
  missing: BaselineEntry[]
}

/** Match transcripts and entries as `matchContent` does. */
export const matchBaseline = ({ transcripts }: Baseline, identities: readonly Identity[]): Matched =>
  matchContent(transcripts, identities)

export const changesIn = (cases: readonly ReportCase[]): BaselineReport['counts'] =>
  tallyOf(
    ['new', 'worse', 'same', 'better'],
    cases.map(({ change }) => change),
  )

export function baselineReport(
  { path, sha256 }: Pick<BaselineReport, 'path' | 'sha256'>,
  cases: readonly ReportCase[],
  { entries, missing }: Matched,
  identities: readonly Identity[],
  { isOutside, updated }: { isOutside(path: string): boolean; updated: boolean },
): BaselineReport {
  const counts = changesIn(cases)
  const edited = entries.filter((entry, at) => entry && entry.sha256 !== identities[at]?.sha256).length
  const unseen = missing.map((entry) => ({
    ...pick(entry, ['path', 'record', 'part', 'name', 'outcome']),
    ...(isOutside(entry.path) && { outside: true }),
  }))
  const stale = staleText(unseen, counts, { edited, updated })
  return { path, sha256, missing: unseen, counts, edited, stale, updated }
}

/**
 * Why a baseline is out of date; null if it is not. Files that were not checked do not count, because an update would
 * keep their entries.
 */
export function staleText(
  missing: BaselineReport['missing'],
  counts: BaselineReport['counts'],
  { edited, updated }: Pick<BaselineReport, 'edited' | 'updated'>,
): string | null {
  const removed = missing.filter(({ outside }) => !outside).length
  const parts = Object.entries({ changed: edited, added: counts.new, removed, improved: counts.better })
  const changes = parts.flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []))
  return updated || changes.length === 0 ? null : changes.join(', ')
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
    const { name, outcome, signals } = each
    transcripts.push({ ...identity, name, outcome, signals: [...new Set(signals.map(({ key }) => key))].sort() })
  }
  const options = Object.keys(made.options ?? {}).length > 0 ? { options: made.options } : {}
  const head = { schema: 'svc/baseline@1' as const, annotator: made.annotator, annotator_version, taxonomy_version }
  return { ...head, ...options, transcripts }
}

export interface CheckedPlaces {
  /** The file was not checked and is in none of the checked folders. */
  isOutside(path: string): boolean
  isThere(path: string): boolean
}

export interface NextBaseline {
  baseline: Baseline
  /** Entries of the earlier baseline whose files were not checked. */
  kept: number
  /** Entries that were not found again, or that another version or other options produced. */
  dropped: number
  /** The earlier baseline has the same annotator, version and options. */
  isLike: boolean
}

/** The baseline after a check: all results, and earlier entries that were not checked. Entries are sorted by place. */
export function nextBaseline(
  before: Baseline | undefined,
  now: Baseline,
  { isOutside, isThere }: CheckedPlaces,
): NextBaseline {
  const { entries, missing } = before ? matchBaseline(before, now.transcripts) : { entries: [], missing: [] }
  // A transcript found elsewhere may be a copy of one that still exists.
  const copied = entries.flatMap((entry) => (entry && isOutside(entry.path) && isThere(entry.path) ? entry : []))
  const isSame = before === undefined || areAlike(before, now)
  const kept = isSame ? [...missing.filter(({ path }) => isOutside(path)), ...copied] : []
  return {
    baseline: { ...now, transcripts: [...now.transcripts, ...kept].sort(byPlace) },
    kept: kept.length,
    dropped: missing.length + copied.length - kept.length,
    isLike: isSame,
  }
}

const byPlace = (a: BaselineEntry, b: BaselineEntry): number =>
  (a.path === b.path ? 0 : a.path < b.path ? -1 : 1) || a.record - b.record || a.part - b.part

type Places = Pick<Files, 'resolve' | 'isThere'>

/**
 * The places covered by a check of `paths`, named relative to the baseline's folder. `isUnseen` is true for an absolute
 * path that was excluded or unreadable.
 */
export function checkedPlaces(
  files: Places,
  baseline: string,
  paths: readonly string[],
  isUnseen: (path: string) => boolean,
): CheckedPlaces {
  const folder = dirname(files.resolve(baseline))
  const roots = paths.filter((path) => path !== '-').map((path) => files.resolve(path))
  const isMatch = matchIn(
    files,
    // A program may name its transcripts as it likes.
    paths.filter((path) => /[*?[{(\\]/.test(path) && !patternProblem(path) && !files.isThere(path)),
  )
  return {
    isOutside(path) {
      if (isStdin(path)) return !paths.includes('-')
      const file = resolve(folder, path)
      return isUnseen(file) || (!roots.some((root) => isInside(root, file)) && !isMatch(file))
    },
    isThere: (path) => !isStdin(path) && files.isThere(resolve(folder, path)),
  }
}

function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** True for a file that a pattern matches, and for a member of such an archive. */
function matchIn({ resolve: at }: Pick<Files, 'resolve'>, patterns: readonly string[]) {
  if (patterns.length === 0) return () => false
  const matches = patterns.map((pattern) => {
    const plain = posix.normalize(pattern)
    const isMatch = matcherOf([plain, `${plain}/**`])
    return (file: string) => isMatch((isAbsolute(plain) ? file : relative(at('.'), file)).split(sep).join('/'))
  })
  return (file: string) => matches.some((isMatch) => isMatch(file))
}

import { dirname, isAbsolute, posix, relative, resolve, sep } from 'node:path'
import { canonicalJson } from '@svc/text'
import { matcherOf, patternProblem } from '@svc/text/patterns'
import { areSameVersions, type Versions } from '../annotation.js'
import { type Files, isInside, isStdin } from '../files.js'
import { matchContent } from '../identity.js'
import type { BaselineReport, MissingTranscript, NewlyAccepted, ReportCase } from '../report/index.js'
import { pick, tallyOf } from '../values.js'
import type { BaselineEntry, Identity } from './acceptance.js'

/** The accepted outcome and signals of each transcript, from one version of an annotator. */
export interface Baseline extends Versions {
  /** The format of the document. */
  schema: 'svc/baseline@2'
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

export const areAlike = (a: Baseline, b: Baseline): boolean =>
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
  {
    missing,
    edited,
    isOutside,
    written,
  }: {
    missing: readonly BaselineEntry[]
    edited: number
    isOutside(path: string): boolean
    written: NextBaseline | undefined
  },
): BaselineReport {
  const counts = changesIn(cases)
  const named = (entry: BaselineEntry) =>
    pick(entry as MissingTranscript, ['path', 'record', 'part', 'name', 'external_id', 'outcome'])
  const unseen = missing.map((entry) => ({ ...named(entry), ...(isOutside(entry.path) && { outside: true }) }))
  const updated = written !== undefined
  const stale = staleText(unseen, counts, { edited, updated })
  const changes = written && { accepted: written.accepted, dropped: written.dropped.map(named) }
  return { path, sha256, missing: unseen, counts, edited, stale, updated, ...changes }
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

/** The baseline after an update, and what the update changed. */
export interface NextBaseline {
  /** The baseline to write. */
  baseline: Baseline
  /** The findings that the earlier baseline does not accept. */
  accepted: NewlyAccepted[]
  /** The number of entries of the earlier baseline whose files were not checked. */
  kept: number
  /** Entries that were not found again, or that another version or other options produced. */
  dropped: BaselineEntry[]
  /** The earlier baseline has the same annotator, version and options. */
  isLike: boolean
}

export interface CheckedPlaces {
  /** The file was not checked and is in none of the checked folders. */
  isOutside(path: string): boolean
  isThere(path: string): boolean
}

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

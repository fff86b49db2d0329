import { type Baseline, type BaselineEntry, isLike, matchBaseline } from './baseline.js'

/** Where the files of a baseline are, as its entries name them. */
export interface Looked {
  /** Whether a file is none of those that were checked, nor below one of their folders. */
  isOutside(path: string): boolean
  isThere(path: string): boolean
}

/** A baseline that is to be written, and what becomes of entries of the one before that nothing was found for. */
export interface NextBaseline {
  baseline: Baseline
  /** Their files were not looked at. */
  kept: number
  /** Their files were, or what they say was made otherwise. */
  dropped: number
  /** Whether what the one before says was made by the same version of the annotator, with the same options. */
  isLike: boolean
}

/**
 * The baseline after a check, of everything that it found and of what it did not look at. Entries stand in the order of
 * their places, so that it does not matter in which order they were checked.
 */
export function nextBaseline(
  before: Baseline | undefined,
  now: Baseline,
  { isOutside, isThere }: Looked,
): NextBaseline {
  const { entries, missing } = before ? matchBaseline(before, now.transcripts) : { entries: [], missing: [] }
  // What was found elsewhere may be a copy of what is still there.
  const copied = entries.flatMap((entry) => (entry && isOutside(entry.path) && isThere(entry.path) ? entry : []))
  const isSame = before === undefined || isLike(before, now)
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

/**
 * The content of a transcript, which identifies it in every report: its SHA-256 in hex (null for a path that cannot be read),
 * and its number among those of equal content in the run, from 1.
 */
export interface Content {
  sha256: string | null
  occurrence: number
}

interface Found {
  path: string
  sha256: string | null
}

/** `./a.json` and `a.json` are the same file. */
export const plainPath = (path: string): string => path.replace(/^(?:\.\/+)+(?=.)/, '').replace(/\/{2,}/g, '/')

/** The content, or the path of what cannot be read. */
export const contentKey = ({ path, sha256 }: Found): string => sha256 ?? `path ${plainPath(path)}`

/** The key of a transcript in each report of it. */
export const identityKey = (each: Found & Content): string => `${contentKey(each)} ${each.occurrence}`

/** A function that numbers what it is called with among that of equal content, from 1. */
export function occurrences(): (each: Found) => number {
  const counts = new Map<string, number>()
  return (each) => {
    const key = contentKey(each)
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return nth
  }
}

import { grouped } from '@svc/text'

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

export interface Placed extends Found {
  record: number
  part: number
  external_id?: string | undefined
}

/** Keys under which two transcripts are the same, the most certain first. */
const contentKeys: ((each: Placed) => string | undefined)[] = [
  (each) => JSON.stringify([plainPath(each.path), each.record, each.part, contentKey(each)]),
  (each) => (each.external_id ? JSON.stringify([each.external_id, each.part, contentKey(each)]) : undefined),
  contentKey,
]

/** The external ids of one transcript each, whole or in parts. */
const uniqueIds = (all: readonly Placed[]): ReadonlySet<string> =>
  new Set(
    [...grouped(all, ({ external_id }) => external_id || undefined)].flatMap(([id, of]) =>
      id !== undefined && isOne(of) ? id : [],
    ),
  )

/** True for the parts of one transcript. */
const isOne = ([first, ...others]: readonly Placed[]): boolean =>
  new Set([first, ...others].map((each) => each?.part)).size === others.length + 1 &&
  others.every(({ path, record }) => path === first?.path && record === first.record)

/**
 * Match transcripts with those of before by equal content, or by an external id that is unique in both. A place alone is no
 * evidence. Each is matched once; of equal ones the first. `missing`: those of before that are not found again.
 */
export function matchContent<Before extends Placed>(
  before: readonly Before[],
  now: readonly Placed[],
): { entries: (Before | undefined)[]; missing: Before[] } {
  const entries: (Before | undefined)[] = now.map(() => undefined)
  let left = [...before]
  const [idsBefore, idsNow] = [uniqueIds(before), uniqueIds(now)]
  const uniqueIdOf = ({ external_id: id = '', part }: Placed) =>
    idsBefore.has(id) && idsNow.has(id) ? JSON.stringify([id, part]) : undefined
  for (const keyOf of [...contentKeys, uniqueIdOf]) {
    const byKey = grouped(left, keyOf)
    const matched = new Set<Before>()
    for (const [index, each] of now.entries()) {
      const key = entries[index] ? undefined : keyOf(each)
      const entry = key === undefined ? undefined : byKey.get(key)?.shift()
      if (!entry) continue
      entries[index] = entry
      matched.add(entry)
    }
    left = left.filter((entry) => !matched.has(entry))
  }
  return { entries, missing: left }
}

export const isSameTranscript = (a: Found & Content, b: Found & Content): boolean =>
  a.sha256 === b.sha256 && a.occurrence === b.occurrence && (a.sha256 !== null || contentKey(a) === contentKey(b))

/** A function that numbers what it is called with among that of equal content, after `known`; from 1. */
export function occurrences(known: readonly (Found & Content)[] = []): (each: Found) => number {
  const counts = new Map<string, number>()
  for (const each of known) {
    const key = contentKey(each)
    counts.set(key, Math.max(counts.get(key) ?? 0, each.occurrence))
  }
  return (each) => {
    const key = contentKey(each)
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return nth
  }
}

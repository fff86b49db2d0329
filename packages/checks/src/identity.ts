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
  source_hash?: string | undefined
}

/** A key under which two transcripts are the same; `undefined` without one. `isApart` excepts some pairs. */
interface Step {
  keyOf(each: Placed): string | undefined
  isApart?(a: Placed, b: Placed): boolean
}

const sameContentHere: Step = {
  keyOf: (each) => JSON.stringify([plainPath(each.path), each.record, each.part, contentKey(each)]),
}
const sameContentAndId: Step = {
  keyOf: (each) => (each.external_id ? JSON.stringify([each.external_id, each.part, contentKey(each)]) : undefined),
}
const sameContent: Step = { keyOf: contentKey }

/** The same records of a file, which another version of the importer may read as other content. */
const sameSource: Step = {
  keyOf: ({ source_hash: hash, part }) => (hash === undefined ? undefined : JSON.stringify([hash, part])),
}

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

/** An external id that is unique in both runs. */
function sameUniqueId(before: readonly Placed[], now: readonly Placed[]): Step {
  const [idsBefore, idsNow] = [uniqueIds(before), uniqueIds(now)]
  return {
    keyOf: ({ external_id: id = '', part }) =>
      idsBefore.has(id) && idsNow.has(id) ? JSON.stringify([id, part]) : undefined,
  }
}

/** The record of a file that has equally many in both runs. */
function samePlace(before: readonly Placed[], now: readonly Placed[]): Step {
  const pathOf = ({ path }: Placed) => plainPath(path)
  const [filesBefore, filesNow] = [grouped(before, pathOf), grouped(now, pathOf)]
  return {
    keyOf: (each) =>
      filesBefore.get(pathOf(each))?.length === filesNow.get(pathOf(each))?.length
        ? JSON.stringify([pathOf(each), each.record, each.part])
        : undefined,
  }
}

/** The transcript of before of each of now, and those of before that are not found again. */
interface Matched<Before> {
  entries: (Before | undefined)[]
  missing: Before[]
}

/** Match by the most certain step first. Each is matched once; of equal ones the first. */
function matched<Before extends Placed>(
  before: readonly Before[],
  now: readonly Placed[],
  steps: readonly Step[],
): Matched<Before> {
  const entries: (Before | undefined)[] = now.map(() => undefined)
  let left = [...before]
  for (const { keyOf, isApart } of steps) {
    const byKey = grouped(left, keyOf)
    const matches = new Set<Before>()
    for (const [index, each] of now.entries()) {
      const key = entries[index] ? undefined : keyOf(each)
      const open = key === undefined ? undefined : byKey.get(key)
      const at = open?.findIndex((entry) => !isApart?.(entry, each)) ?? -1
      const [entry] = at < 0 ? [] : (open?.splice(at, 1) ?? [])
      if (!entry) continue
      entries[index] = entry
      matches.add(entry)
    }
    left = left.filter((entry) => !matches.has(entry))
  }
  return { entries, missing: left }
}

/**
 * Match transcripts with those of before by equal content, or by an external id that is unique in both. A place alone is no
 * evidence.
 */
export const matchContent = <Before extends Placed>(
  before: readonly Before[],
  now: readonly Placed[],
): Matched<Before> => matched(before, now, [sameContentHere, sameContentAndId, sameContent, sameUniqueId(before, now)])

const haveOtherIds = (a: Placed, b: Placed): boolean =>
  Boolean(a.external_id && b.external_id) && a.external_id !== b.external_id

/**
 * Match transcripts with their earlier form, which may have other content: by equal content at the same place, by an external
 * id that is unique in both, by equal content unless both have ids and these differ, by equal source records, or by the place
 * in a file that has equally many records.
 */
export const matchTranscripts = <Before extends Placed>(
  before: readonly Before[],
  now: readonly Placed[],
): Matched<Before> =>
  matched(before, now, [
    sameContentHere,
    sameUniqueId(before, now),
    { ...sameContent, isApart: haveOtherIds },
    sameSource,
    samePlace(before, now),
  ])

export const isSameTranscript = (a: Found & Content, b: Found & Content): boolean =>
  a.sha256 === b.sha256 && a.occurrence === b.occurrence && (a.sha256 !== null || contentKey(a) === contentKey(b))

/** A function that numbers what it is called with among that of equal content, after those in `numbered`; from 1. */
export function occurrences(numbered: readonly (Found & Content)[] = []): (each: Found) => number {
  const counts = new Map<string, number>()
  for (const each of numbered) {
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

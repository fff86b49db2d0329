import type { Entry } from './recorder.js'

/** A list of what was said, in order: what the system said at its start, and the rest. */
export interface Thread {
  head: readonly Entry[]
  body: readonly Entry[]
}

/** Parts the system's words at the start of a list from the rest. */
export function threadOf(entries: readonly Entry[]): Thread {
  const head: Entry[] = []
  const body: Entry[] = []
  let isBegun = false
  for (const entry of entries) {
    if (entry.role !== 'system' && entry.key !== '') isBegun = true
    if (isBegun || entry.role !== 'system') body.push(entry)
    else head.push(entry)
  }
  return { head, body }
}

/** How two lists of the same talk lie to each other. */
export type Relation =
  /** The later one has all of the earlier one in it. */
  | { kind: 'holds' }
  /** The later one is in the earlier one. */
  | { kind: 'held' }
  /** The later one starts with the last entries of the earlier one; `from` is where what is new begins. */
  | { kind: 'goes on'; from: number }
  | { kind: 'apart' }

/** Compares two lists by their keys, in a time that grows with the length of the later one. */
export function relation(earlier: readonly Entry[], later: readonly Entry[]): Relation {
  const fresh = keysOf(later)
  if (fresh.length === 0) return { kind: earlier.length === 0 ? 'holds' : 'held' }
  const window = 2 * later.length + 10
  const recent = keysOf(earlier.slice(-window))
  const isWhole = earlier.length <= window
  if (isWhole && recent.length <= fresh.length && search(fresh, recent).found) return { kind: 'holds' }
  const { found, tail } = search(recent, fresh)
  if (found) return { kind: 'held' }
  return tail === 0 ? { kind: 'apart' } : { kind: 'goes on', from: indexAfter(later, tail) }
}

/** Entries without a key, such as thoughts, are not compared. */
function keysOf(entries: readonly Entry[]): string[] {
  const keys: string[] = []
  for (const { key } of entries) if (key !== '') keys.push(key)
  return keys
}

function indexAfter(entries: readonly Entry[], keyed: number): number {
  let left = keyed
  const index = entries.findIndex(({ key }) => key !== '' && left-- === 0)
  return index === -1 ? entries.length : index
}

/** Find a pattern in a text, and count how many of its first keys the text ends with (Knuth, Morris, Pratt). */
function search(text: readonly string[], pattern: readonly string[]): { found: boolean; tail: number } {
  const borders = [0]
  for (let at = 1, length = 0; at < pattern.length; at++) {
    length = next(pattern, borders, length, pattern[at])
    borders.push(length)
  }
  if (pattern.length === 0) return { found: true, tail: 0 }
  let matched = 0
  for (const key of text) {
    matched = next(pattern, borders, matched, key)
    if (matched === pattern.length) return { found: true, tail: matched }
  }
  return { found: false, tail: matched }
}

function next(pattern: readonly string[], borders: readonly number[], from: number, key: string | undefined): number {
  let length = from
  while (length > 0 && pattern[length] !== key) length = borders[length - 1] ?? 0
  return pattern[length] === key ? length + 1 : length
}

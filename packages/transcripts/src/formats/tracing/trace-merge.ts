import { contentOf, parseJsonText } from '../../conversation/index.js'
import { getOrInsert } from '../../json/index.js'
import { Losses } from '../../model/index.js'
import { type Entry, markOf } from './recorder.js'

/**
 * Merge two versions of a conversation without losing entries. An entry found only in `other` keeps its neighbours:
 * user messages come as early, others as late as these allow.
 */
export function merged(base: readonly Entry[], other: readonly Entry[]): readonly Entry[] {
  if (isSubsequence(other, base)) return base
  const known = new EntryIndex(base)
  const before = new Map<number, Entry[]>()
  const late: Entry[] = []
  let silent: Entry[] = []
  let from = 0
  const names = namesOfCalls(other)
  const put = (at: number, entries: readonly Entry[]) => {
    const list = getOrInsert(before, at, () => [])
    for (const entry of entries) list.push(entry)
  }
  for (const entry of other) {
    if (entry.key === '') {
      silent.push(entry)
      continue
    }
    const at = known.find(entry, from, names)
    if (at === undefined) {
      if (late.length === 0 && entry.role === 'user') put(from, [...silent, entry])
      else late.push(...silent, entry)
    } else if (at >= from) {
      put(at, late.splice(0))
      from = at + 1
    }
    silent = []
  }
  const all: Entry[] = []
  for (let at = 0; at <= base.length; at++) {
    for (const entry of before.get(at) ?? []) all.push(entry)
    const entry = base[at]
    if (entry) all.push(entry)
  }
  for (const entry of late) all.push(entry)
  return all
}

/** True if a list contains another one in the same order, as is usual. */
function isSubsequence(entries: readonly Entry[], base: readonly Entry[]): boolean {
  let at = 0
  for (const { key } of entries) {
    if (key === '') continue
    while (at < base.length && base[at]?.key !== key) at++
    if (at === base.length) return false
    at++
  }
  return true
}

export function userKeys(entries: readonly Entry[]): Set<string> {
  const keys = new Set<string>()
  for (const { role, key } of entries) if (role === 'user' && key !== '') keys.add(key)
  return keys
}

/** True if a list has entries, other than system messages, that are not among the keys. */
export function hasNew(entries: readonly Entry[], known: ReadonlySet<string>): boolean {
  for (const entry of entries) {
    if (entry.key === '' || known.has(entry.key)) continue
    const isMessage = entry.action.kind === 'say' && entry.role !== 'system'
    if (isMessage || entry.action.kind === 'call' || idOf(entry) !== undefined) return true
  }
  return false
}

/**
 * Continue a conversation with a later list, which has all of it or only the new part. May return the given list.
 * `lost` counts entries missing in a longer, rewritten version.
 */
export function continueThread(body: Entry[], later: readonly Entry[]): { body: Entry[]; lost: number } {
  const relative = relation(body, later)
  if (relative.kind === 'holds') return { body: [...later], lost: 0 }
  if (isLonger(later, body)) {
    const keys = new Set(later.map(({ key }) => key))
    return { body: [...later], lost: body.filter(({ key }) => key !== '' && !keys.has(key)).length }
  }
  // A single entry, or a whole conversation, may be repeated on purpose.
  for (const entry of relative.kind === 'goes on' && relative.from > 1 ? later.slice(relative.from) : later)
    body.push(entry)
  return { body, lost: 0 }
}

/** True for a longer list with the same start and all user messages, even if an answer differs. */
function isLonger(later: readonly Entry[], body: readonly Entry[]): boolean {
  if (later.length <= body.length || firstKey(later) !== firstKey(body)) return false
  const users = userKeys(later)
  return [...userKeys(body)].every((key) => users.has(key))
}

function firstKey(entries: readonly Entry[]): string | undefined {
  return entries.find(({ key }) => key !== '')?.key
}

/** Finds each entry of a list once. */
class EntryIndex {
  readonly #byKey = new Map<string, number[]>()
  readonly #byName = new Map<string, number[]>()
  readonly #nameless = new Map<string, number[]>()
  readonly #found = new Set<number>()

  /** From the end, so that `pop` gives the next one. */
  constructor(entries: readonly Entry[]) {
    const names = namesOfCalls(entries)
    for (let at = entries.length - 1; at >= 0; at--) {
      const entry = entries[at] as Entry
      if (entry.key === '') continue
      getOrInsert(this.#byKey, entry.key, () => []).push(at)
      const name = nameOf(entry, names)
      if (name === undefined) continue
      getOrInsert(this.#byName, name, () => []).push(at)
      if (idOf(entry) === undefined) getOrInsert(this.#nameless, name, () => []).push(at)
    }
  }

  /** A call or result without an id in one version is found by the name of its tool. */
  find(entry: Entry, from: number, names: ReadonlyMap<unknown, unknown>): number | undefined {
    const name = nameOf(entry, names)
    const sameName = idOf(entry) === undefined ? this.#byName : this.#nameless
    return this.#next(this.#byKey.get(entry.key), from) ?? this.#next(sameName.get(name ?? ''), from)
  }

  #next(list: number[] | undefined, from: number): number | undefined {
    if (list === undefined) return undefined
    const isPast = (at: number | undefined) =>
      at !== undefined && (this.#found.has(at) || (list.length > 1 && at < from))
    while (isPast(list.at(-1))) list.pop()
    const at = list.at(-1)
    if (at !== undefined) this.#found.add(at)
    return at
  }
}

/** The calls and results that a kept list has with the same id and without their words, each as a text. */
export function rewrittenIn(entries: readonly Entry[], kept: readonly Entry[]): string[] {
  const versions = new Map<string, Set<string>>()
  for (const entry of kept) {
    if (idOf(entry) !== undefined) getOrInsert(versions, entry.key, () => new Set()).add(wordsOf(entry))
  }
  return entries.flatMap((entry) => {
    const known = versions.get(entry.key)
    if (known === undefined) return []
    const words = wordsOf(entry)
    // Some programs wrap a result in an object.
    const isSame = (version: string) => version.includes(words) || (words.startsWith('{') && words.includes(version))
    return known.has(words) || [...known].some(isSame) ? [] : [`${entry.key} ${words}`]
  })
}

function wordsOf({ action }: Entry): string {
  if (action.kind === 'call') return JSON.stringify([markOf(action.call.name), parseJsonText(action.call.args)])
  if (action.kind !== 'result') return ''
  const { output } = action.result
  const read = parseJsonText(Array.isArray(output) ? contentOf(output, new Losses()).text : output)
  return typeof read === 'string' ? read : (JSON.stringify(read) ?? '')
}

function idOf({ action }: Entry): unknown {
  return action.kind === 'call' ? action.call.id : action.kind === 'result' ? action.result.id : undefined
}

function nameOf({ action }: Entry, names: ReadonlyMap<unknown, unknown>): string | undefined {
  if (action.kind === 'call') return `call ${markOf(action.call.name)}`
  return action.kind === 'result' ? `result ${markOf(action.result.name ?? names.get(action.result.id))}` : undefined
}

function namesOfCalls(entries: readonly Entry[]): Map<unknown, unknown> {
  const names = new Map<unknown, unknown>()
  for (const { action } of entries) if (action.kind === 'call') names.set(action.call.id, action.call.name)
  return names
}

/** A list of entries: the system messages at its start, and the rest. */
export interface Thread {
  head: readonly Entry[]
  body: readonly Entry[]
}

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

type Relation =
  /** The later list contains the earlier one. */
  | { kind: 'holds' }
  /** The earlier list contains the later one. */
  | { kind: 'held' }
  /** The later list starts with the end of the earlier one; new entries begin at `from`. */
  | { kind: 'goes on'; from: number }
  | { kind: 'apart' }

/** Compare two lists by their keys, in time linear in the later one. */
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

/** Entries without a key, such as thinking, are not compared. */
export function keysOf(entries: readonly Entry[]): string[] {
  const keys: string[] = []
  for (const { key } of entries) if (key !== '') keys.push(key)
  return keys
}

function indexAfter(entries: readonly Entry[], keyed: number): number {
  let remaining = keyed
  const index = entries.findIndex(({ key }) => key !== '' && remaining-- === 0)
  return index === -1 ? entries.length : index
}

/** Find a pattern, or else the longest start of it at the end of the text (Knuth, Morris, Pratt). */
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

/** Items in groups that are linked by names that they have in common, in the order of their first ones. */
export function* linked<Item>(items: readonly Item[], namesIn: (item: Item) => readonly string[]): Generator<Item[]> {
  const byName = new Map<string, Item[]>()
  for (const item of items) for (const name of namesIn(item)) getOrInsert(byName, name, () => []).push(item)
  const seen = new Set<Item>()
  for (const item of items) {
    if (seen.has(item)) continue
    const together = new Set([item])
    for (const each of together) {
      for (const name of namesIn(each)) {
        for (const other of byName.get(name) ?? []) together.add(other)
        byName.delete(name)
      }
    }
    for (const each of together) seen.add(each)
    yield [...together]
  }
}

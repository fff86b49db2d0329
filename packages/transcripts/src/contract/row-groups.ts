import { getOrInsert } from '../json/index.js'
import type { Problem, ReaderContext, Tally } from '../model/index.js'

/** The bytes of rows that may wait for more rows of their conversations. */
const maxWaiting = 2 ** 22

/** The rows of one conversation. */
export interface RowGroup<Row> {
  key: string
  rows: Row[]
  /** Problems of records that may belong to it: it is not to be read. */
  lostRecords: Problem[]
}

/**
 * Rows of a file by conversation, in any order. If more than `maxWaiting` bytes of rows wait, the conversations without a
 * row for the longest time are complete, so that memory does not grow with the file.
 *
 * A record that cannot be read may belong to the conversation of the row before it, or of the row after it. If the rows of
 * conversations interleave, it may belong to any that is not complete yet.
 */
export class RowGroups<Row> {
  /** The conversations that wait, the one with the last row at the end. */
  readonly #open = new Map<string, RowGroup<Row> & { bytes: number; index: number }>()
  readonly #complete = new HashSet()
  readonly #maxWaiting: number
  readonly #tally: Tally
  /** The conversation of the row before; undefined after another record. */
  #last: string | undefined
  #isInterleaved = false
  /** All lost records; once one of several cost a conversation, the first stands for them. */
  #lost: Problem[] = []
  /** Those since the last row. */
  #lostSince: Problem[] = []
  /** A lost record that a conversation lacks, which was given since, if the rows turn out to interleave. */
  #mayLack: Problem | undefined
  #waiting = 0
  #offset = 0
  #count = 0

  constructor({ maxWaiting: most = maxWaiting, tally }: Pick<ReaderContext, 'maxWaiting' | 'tally'>) {
    this.#maxWaiting = most
    this.#tally = tally
  }

  /** True if a row of this conversation comes too late. */
  isComplete(key: string): boolean {
    const isLate = this.#complete.has(key)
    if (isLate) this.#interleave()
    return isLate
  }

  /** True once a conversation goes on after a row of another one. */
  get isInterleaved(): boolean {
    return this.#isInterleaved
  }

  /** The number of conversations so far. */
  get size(): number {
    return this.#count
  }

  /** `offset`: the first byte of the row in the file. */
  add(key: string, row: Row, offset: number): void {
    if (this.#open.has(key) && key !== this.#last) this.#interleave()
    const group = getOrInsert(this.#open, key, () => this.#begin(key))
    group.lostRecords.push(...this.#lostSince)
    this.#lostSince = []
    this.#last = key
    const bytes = Math.max(0, offset - this.#offset)
    this.#offset = offset
    group.rows.push(row)
    group.bytes += bytes
    this.#waiting += bytes
    this.#open.delete(key)
    this.#open.set(key, group)
  }

  #interleave(): void {
    if (this.#mayLack) this.#mayLack.hidesMore = true
    this.#isInterleaved = true
  }

  #begin(key: string) {
    const group = { key, rows: [], lostRecords: [], bytes: 0, index: this.#count++ }
    this.#tally.begin('group', group)
    return group
  }

  /** Note a record that cannot be read, and that may be a row. */
  lose(problem: Problem): void {
    this.#lost.push(problem)
    this.#lostSince.push(problem)
    if (this.#last !== undefined) this.#open.get(this.#last)?.lostRecords.push(problem)
  }

  /** Note a record that is no row: what is lost before it is not beside the row after it. */
  endRun(): void {
    this.#last = undefined
    this.#lostSince = []
  }

  /** The rows of one conversation, which is complete; a later row of it begins another one. */
  take(key: string): RowGroup<Row> | undefined {
    const group = this.#open.get(key)
    if (!group) return undefined
    this.#open.delete(key)
    this.#waiting -= group.bytes
    return this.#closed(group)
  }

  /** The conversations that are complete because too many rows wait; not the one with the last row. */
  *overdue(): Generator<RowGroup<Row>> {
    for (const [key, group] of this.#open) {
      if (this.#waiting <= this.#maxWaiting || this.#open.size === 1) return
      this.#waiting -= group.bytes
      this.#open.delete(key)
      this.#complete.add(key)
      yield this.#closed(group)
    }
  }

  /** The remaining conversations, in the order of their first rows. */
  *end(): Generator<RowGroup<Row>> {
    const groups = [...this.#open.values()].sort((a, b) => a.index - b.index)
    this.#open.clear()
    this.#waiting = 0
    for (const group of groups) yield this.#closed(group)
  }

  #closed(group: RowGroup<Row>): RowGroup<Row> {
    if (!this.#isInterleaved) {
      if (group.lostRecords.length === 0) this.#mayLack ??= this.#lost[0]
      return group
    }
    group.lostRecords.push(...this.#lost)
    this.#lost = this.#lost.slice(0, 1)
    return group
  }
}

/** Remembers texts by 53 bits of their hash, in 16 bytes each at most: a text that was never added is found once in 10^15. */
export class HashSet {
  #slots = new Float64Array(1 << 10)
  #size = 0

  add(text: string): void {
    if (this.#size * 2 > this.#slots.length) {
      const old = this.#slots
      this.#slots = new Float64Array(old.length * 2)
      for (const hash of old) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash
    }
    const hash = hashOf(text)
    this.#slots[this.#slotOf(hash)] = hash
    this.#size++
  }

  has(text: string): boolean {
    if (this.#size === 0) return false
    return this.#slots[this.#slotOf(hashOf(text))] !== 0
  }

  /** The slot that holds the hash, or the free one for it. */
  #slotOf(hash: number): number {
    const { length } = this.#slots
    let slot = hash % length
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) % length
    return slot
  }
}

/** 53 bits, never 0 (cyrb53, which is in the public domain). */
export function hashOf(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0) || 1
}

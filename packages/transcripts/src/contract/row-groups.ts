import { getOrInsert } from '../json/index.js'

/** The bytes of rows that may wait for more rows of their conversations. */
const maxWaiting = 2 ** 22

/**
 * Rows of a file by conversation, in any order. If more than `maxWaiting` bytes of rows wait, the conversations without a
 * row for the longest time are complete, so that memory does not grow with the file.
 */
export class RowGroups<Row> {
  /** The conversations that wait, the one with the last row at the end. */
  readonly #open = new Map<string, { rows: Row[]; bytes: number; index: number }>()
  readonly #complete = new HashSet()
  readonly #maxWaiting: number
  #waiting = 0
  #offset = 0
  #count = 0

  constructor(most = maxWaiting) {
    this.#maxWaiting = most
  }

  /** True if a row of this conversation comes too late. */
  isComplete(key: string): boolean {
    return this.#complete.has(key)
  }

  /** The number of conversations so far. */
  get size(): number {
    return this.#count
  }

  /** `offset`: the first byte of the row in the file. */
  add(key: string, row: Row, offset: number): void {
    const group = getOrInsert(this.#open, key, () => ({ rows: [], bytes: 0, index: this.#count++ }))
    const bytes = Math.max(0, offset - this.#offset)
    this.#offset = offset
    group.rows.push(row)
    group.bytes += bytes
    this.#waiting += bytes
    this.#open.delete(key)
    this.#open.set(key, group)
  }

  /** The conversations that are complete because too many rows wait; not the one with the last row. */
  *overdue(): Generator<Row[]> {
    for (const [key, { rows, bytes }] of this.#open) {
      if (this.#waiting <= this.#maxWaiting || this.#open.size === 1) return
      this.#waiting -= bytes
      this.#open.delete(key)
      this.#complete.add(key)
      yield rows
    }
  }

  /** The remaining conversations, in the order of their first rows. */
  *end(): Generator<Row[]> {
    const groups = [...this.#open.values()].sort((a, b) => a.index - b.index)
    this.#open.clear()
    this.#waiting = 0
    for (const { rows } of groups) yield rows
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
function hashOf(text: string): number {
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

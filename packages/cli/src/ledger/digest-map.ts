import { hash } from 'node:crypto'

/** Words of a slot: four of the digest, and the number. */
const width = 5

/**
 * Numbers above 0 by text, of which only 128 bits of its digest are kept, in one table for all: a Map with a string for
 * each takes so much more memory that a stream of 200 000 transcripts does not fit into 200 MB.
 */
export class DigestMap {
  #slots = 1 << 10
  #table = new Uint32Array(this.#slots * width)
  #size = 0

  /** 0 where there is none. */
  get(text: string): number {
    return this.#table[this.#find(wordsOf(text)) + 4] as number
  }

  set(text: string, value: number): void {
    const words = wordsOf(text)
    const at = this.#find(words)
    if (this.#table[at + 4] === 0) this.#size++
    this.#table.set([...words, value], at)
    if (this.#size > this.#slots * 0.8) this.#grow()
  }

  /** Where a digest stands, or would. */
  #find(words: ArrayLike<number>): number {
    const table = this.#table
    for (let slot = (words[0] as number) % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * width
      const isIt = [0, 1, 2, 3].every((word) => table[at + word] === words[word])
      if (isIt || table[at + 4] === 0) return at
    }
  }

  #grow(): void {
    const before = this.#table
    this.#slots += this.#slots >> 1
    this.#table = new Uint32Array(this.#slots * width)
    for (let at = 0; at < before.length; at += width) {
      const slot = before.subarray(at, at + width)
      if (slot[4] !== 0) this.#table.set(slot, this.#find(slot))
    }
  }
}

/** The first 128 bits of a digest in hex, or else of the digest of a text. */
function wordsOf(text: string): number[] {
  const digest = /^[0-9a-f]{32,}$/.test(text) ? text : hash('sha256', text)
  return [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16))
}

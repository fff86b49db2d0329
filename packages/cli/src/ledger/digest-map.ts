import { hash } from 'node:crypto'

/** 32-bit words of a slot: four of the digest, and the number. */
const width = 5

/**
 * A map from texts to numbers above 0. It keeps 128 bits of each text's digest in one typed array, because a Map with a
 * string for each of 200 000 transcripts takes more than 200 MB.
 */
export class DigestMap {
  #slots = 1 << 10
  #table = new Uint32Array(this.#slots * width)
  #size = 0

  /** 0 if the text is not in the map. */
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

  /** The index of a digest's slot, or of the free slot for it. */
  #find(words: ArrayLike<number>): number {
    const table = this.#table
    for (let slot = (words[0] as number) % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * width
      const isEqual = [0, 1, 2, 3].every((word) => table[at + word] === words[word])
      if (isEqual || table[at + 4] === 0) return at
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

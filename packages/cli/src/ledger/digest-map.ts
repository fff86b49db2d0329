/** So full a table may get; then it grows to half as much again. */
const fullest = 0.8
/** Words of a slot: four of the digest, and the number. */
const width = 5

/**
 * Numbers above 0 by digests in hex, all of one length. Of a digest its first 128 bits are kept, in one table for all: a Map
 * with a string for each takes four times the memory, which counts where there are hundreds of thousands. What is no such
 * digest is kept, too, as it is.
 */
export class DigestMap {
  readonly #digits: number
  readonly #others = new Map<string, number>()
  readonly #sought = new Uint32Array(4)
  /** The digest that is sought; each is asked for several times in a row. */
  #latest: string | undefined
  #slots = 1 << 10
  #table = new Uint32Array(this.#slots * width)
  #size = 0

  /** `digits` is the length of the digests, 32 at least. */
  constructor(digits: number) {
    this.#digits = digits
  }

  /** 0 where there is none. */
  get(digest: string): number {
    if (!this.#read(digest)) return this.#others.get(digest) ?? 0
    return this.#table[this.#find() + 4] as number
  }

  set(digest: string, value: number): void {
    if (!this.#read(digest)) {
      this.#others.set(digest, value)
      return
    }
    const at = this.#find()
    if (this.#table[at + 4] === 0) this.#size++
    this.#table.set(this.#sought, at)
    this.#table[at + 4] = value
    if (this.#size > this.#slots * fullest) this.#grow()
  }

  /** Takes the digest for what is sought; false where it is none. */
  #read(digest: string): boolean {
    if (digest === this.#latest) return true
    if (digest.length !== this.#digits) return false
    this.#latest = undefined
    for (let word = 0; word < 4; word++) {
      let value = 0
      for (let at = word * 8; at < word * 8 + 8; at++) {
        const digit = digitOf(digest.charCodeAt(at))
        if (digit < 0) return false
        value = (value << 4) | digit
      }
      this.#sought[word] = value
    }
    for (let at = 32; at < this.#digits; at++) if (digitOf(digest.charCodeAt(at)) < 0) return false
    this.#latest = digest
    return true
  }

  /** Where what is sought stands, or would. */
  #find(): number {
    const sought = this.#sought
    const first = sought[0] as number
    const second = sought[1]
    const third = sought[2]
    const fourth = sought[3]
    const table = this.#table
    let slot = first % this.#slots
    for (;;) {
      const at = slot * width
      if (table[at + 4] === 0) return at
      const isIt = table[at] === first && table[at + 1] === second && table[at + 2] === third
      if (isIt && table[at + 3] === fourth) return at
      slot = slot + 1 === this.#slots ? 0 : slot + 1
    }
  }

  #grow(): void {
    const before = this.#table
    this.#latest = undefined
    this.#slots += this.#slots >> 1
    this.#table = new Uint32Array(this.#slots * width)
    for (let at = 0; at < before.length; at += width) {
      if (before[at + 4] === 0) continue
      const slot = before.subarray(at, at + width)
      this.#sought.set(slot.subarray(0, 4))
      this.#table.set(slot, this.#find())
    }
  }
}

/** Of a digit in small letters; below 0 of anything else. */
const digitOf = (code: number): number =>
  code > 47 && code < 58 ? code - 48 : code > 96 && code < 103 ? code - 87 : -1

import type { Piece } from './piece.js'
import type { Place } from './turn.js'

/** Hashes of the records that transcripts are read from, so that equal records are known whatever is made of them. */
export class Digests {
  readonly #hash: (text: string) => string
  #record = 0
  #own = ''
  /** Of all records so far but those that wait. */
  #all = ''
  /** Hashes of records that `all` has not been made of: most transcripts have a record of their own, and never ask for it. */
  #waiting: string[] = []

  constructor(hash: (text: string) => string) {
    this.#hash = hash
  }

  see({ record, text, value }: Piece): void {
    this.#record = record
    this.#own = this.#hash(text || (JSON.stringify(value) ?? ''))
    if (this.#waiting.push(this.#own) >= most) this.#gather()
  }

  /** Of a transcript's own record; of all up to here, where it began in an earlier one. */
  of({ record }: Place): string {
    return record === this.#record ? this.#own : this.#gather()
  }

  #gather(): string {
    for (const own of this.#waiting) this.#all = this.#hash(this.#all + own)
    this.#waiting = []
    return this.#all
  }
}

/** So many wait, that a file of millions of records is not held by their hashes. */
const most = 1000

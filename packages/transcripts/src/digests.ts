import type { Piece } from './piece.js'
import type { Place } from './turn.js'

/** Hashes of the records that transcripts are read from, so that equal records are known whatever is made of them. */
export class Digests {
  readonly #hash: (text: string) => string
  #record = 0
  #own = ''
  /** Of all records so far. */
  #all = ''

  constructor(hash: (text: string) => string) {
    this.#hash = hash
  }

  see({ record, text, value }: Piece): void {
    this.#record = record
    this.#own = this.#hash(text || (JSON.stringify(value) ?? ''))
    this.#all = this.#hash(this.#all + this.#own)
  }

  /** Of a transcript's own record; of all up to here, where it began in an earlier one. */
  of({ record }: Place): string {
    return record === this.#record ? this.#own : this.#all
  }
}

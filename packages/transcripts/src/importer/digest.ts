import type { RawRecord } from '../records/index.js'

/** Hashes the records of a file as they are read. */
export class Digest {
  readonly #hash: ((text: string) => string) | undefined
  #last = ''
  #all = ''

  constructor(hash: ((text: string) => string) | undefined) {
    this.#hash = hash
  }

  add({ text, value }: RawRecord): void {
    if (!this.#hash) return
    this.#last = this.#hash(text || (JSON.stringify(value) ?? ''))
    this.#all = this.#hash(this.#all + this.#last)
  }

  /** The digest of the last record, or of all records so far; undefined without a hash. */
  of(records: 'last' | 'all'): string | undefined {
    if (!this.#hash) return undefined
    return records === 'last' ? this.#last : this.#all
  }
}

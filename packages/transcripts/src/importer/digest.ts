import type { RawRecord } from '../records/index.js'

/** The digest of the last record, which has this number, and of all records so far. */
export interface RecordDigest {
  record: number
  last: string
  all: string
}

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

  /** Those after the record with this number; undefined without a hash. */
  of(record = 0): RecordDigest | undefined {
    return this.#hash && { record, last: this.#last, all: this.#all }
  }
}

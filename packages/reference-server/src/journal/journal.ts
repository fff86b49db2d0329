import type { JournalEntry } from './entry.js'

/** The latest requests of all edges, oldest first, bounded by their count and by the bytes of what they hold. */
export interface Journal extends ReadonlyArray<JournalEntry> {
  /** The requests of an operation, such as `transcripts.upload`. */
  for(operation: string): readonly JournalEntry[]
  /** How many earlier requests were dropped, since the start or the last `clear`. */
  readonly dropped: number
  /** Forget all requests. */
  clear(): void
}

interface Bounds {
  /** The most entries. */
  entries: number
  /** The most bytes of JSON. */
  bytes: number
}

/** An array, so that tests compare and search it like one. */
export class BoundedJournal extends Array<JournalEntry> implements Journal {
  /** `map` and `filter` return a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  readonly #bounds: Bounds
  readonly #sizes: number[] = []
  #bytes = 0
  #dropped = 0

  constructor(bounds: Bounds) {
    super()
    this.#bounds = bounds
  }

  for(operation: string): readonly JournalEntry[] {
    return this.filter((entry) => entry.operation === operation)
  }

  get dropped(): number {
    return this.#dropped
  }

  /** Add a request, and drop the oldest ones over the bounds. `bytes`: about the size of the entry. */
  record(entry: JournalEntry, bytes: number): void {
    this.push(entry)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    while (this.length > this.#bounds.entries || (this.#bytes > this.#bounds.bytes && this.length > 0)) {
      this.shift()
      this.#bytes -= this.#sizes.shift() ?? 0
      this.#dropped++
    }
  }

  clear(): void {
    this.length = 0
    this.#sizes.length = 0
    this.#bytes = 0
    this.#dropped = 0
  }
}

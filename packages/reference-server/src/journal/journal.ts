import type { JournalEntry } from './entry.js'

/** The latest requests of all edges, oldest first, bounded by their count and by the bytes of what they hold. */
export interface Journal extends ReadonlyArray<JournalEntry> {
  /** The requests of an operation, such as `transcripts.upload`. */
  for(operation: string): readonly JournalEntry[]
  /** How many earlier requests were dropped, since the start or the last `clear`. */
  readonly dropped: number
  /** Forget all requests, or a part of them; `dropped` begins again at 0 with all. */
  clear(part?: JournalPart): void
}

/** A part of a journal: the requests for which all that is given holds. */
export interface JournalPart {
  /** The id of their operation, such as `transcripts.upload`. */
  operation?: string | undefined
  /** They came before this time, in milliseconds since the epoch. */
  until?: number | undefined
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

  clear({ operation, until = Number.POSITIVE_INFINITY }: JournalPart = {}): void {
    const isAll = operation === undefined && until === Number.POSITIVE_INFINITY
    const rows = this.map((entry, at) => ({ entry, bytes: this.#sizes[at] ?? 0 }))
    const dropped = isAll ? 0 : this.#dropped
    this.length = 0
    this.#sizes.length = 0
    this.#bytes = 0
    for (const { entry, bytes } of rows) {
      const isForgotten = (operation === undefined || entry.operation === operation) && entry.at < until
      if (!isForgotten) this.record(entry, bytes)
    }
    this.#dropped = dropped
  }
}

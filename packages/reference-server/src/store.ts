/** One record of a world as it is kept. */
export interface Change {
  readonly table: 'keys' | 'projects' | 'transcripts' | 'turns' | 'annotations'
  readonly id: string
  /** What JSON can hold; null takes the record away. */
  readonly value: unknown
}

/** Where a world is kept. Writes are done when `write` returns: an answer goes out after it. */
export interface Store {
  /** Every record, in the order in which their ids were first written. */
  load(): Iterable<Change>
  /** All of the changes or none. Throws when they cannot be kept; nothing of them is then in the store. */
  write(changes: readonly Change[]): void
  /** Takes everything away, and writes these changes, in one step. */
  replace(changes: readonly Change[]): void
  close(): void
}

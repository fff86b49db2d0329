/** The kinds of records; a transcript is kept in three of them. */
export const tables = ['keys', 'projects', 'transcripts', 'turns', 'annotations'] as const

export type Table = (typeof tables)[number]

/** One record of a world as it is kept. */
export interface Change {
  /** Which kind of record it is. */
  readonly table: Table
  /** Unlike every other in its table: the key itself, or the id of the project or of the transcript. */
  readonly id: string
  /** What JSON can hold; null takes the record away. */
  readonly value: unknown
}

/** Where a world is kept. Writes are done when `write` returns: an answer goes out after it. */
export interface Store {
  /** Every record; those of a table in the order in which their ids were first written. */
  load(): Iterable<Change>
  /** All of the changes or none. Throws when they cannot be kept; nothing of them is then in the store. */
  write(changes: readonly Change[]): void
  /** Takes everything away, and writes these changes, in one step. */
  replace(changes: readonly Change[]): void
  /** Frees what the store holds, such as its folder; a second time does nothing. Called by the server's `close`. */
  close(): void
}

/** The kinds of records; a transcript is stored in three of them. */
export const tables = ['keys', 'projects', 'transcripts', 'turns', 'annotations'] as const

export type Table = (typeof tables)[number]

/** One stored record of a world. */
export interface Change {
  /** The kind of the record. */
  readonly table: Table
  /** Unique in its table: the key itself, or the id of the project or transcript. */
  readonly id: string
  /** Any JSON value; null deletes the record. */
  readonly value: unknown
}

/** The persistence of a world. A write is done when `write` returns: the response is sent after it. */
export interface Store {
  /** Every record; those of a table in the order in which their ids were first written. */
  load(): Iterable<Change>
  /** Write all changes or none. Throws if they cannot be written. */
  write(changes: readonly Change[]): void
  /** Delete everything and write these changes, in one step. */
  replace(changes: readonly Change[]): void
  /** Release its resources, such as its folder. A second call has no effect. Called by the server's `close`. */
  close(): void
}

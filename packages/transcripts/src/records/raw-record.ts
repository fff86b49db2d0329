/** A record cut out of a file, not yet parsed. */
export interface RawRecord {
  record: number
  offset: number
  /** The position of the first character; both 1-based, the column in UTF-16 code units. */
  line: number
  column: number
  /** The JSON, or the line of a text; empty for a row of a table, which is in `value`. */
  text: string
  /** A row of a table or a line of a text. */
  value?: unknown
  /** A row of a table as it is in the file. */
  row?: string
  repaired?: boolean
  /** Set when the bytes at this position are not a record. */
  error?: string
  /** Nothing can be cut after this error. */
  isLast?: boolean
  /** The error may hide other records beside this one. */
  hidesMore?: boolean
  /** The error is that the file ends too early. */
  isCutOff?: boolean
}

/** Cuts records out of bytes as they arrive. */
export interface Splitter {
  /** The first row of a table, once it has arrived. */
  readonly header?: string | undefined
  /** The records that are complete; at the end of the file also the rest. */
  split(ended: boolean): RawRecord[]
}

/** The line on which the records begin, and the most bytes of one record. */
export interface SplitterOptions {
  line: number
  maxBytes: number
}

export const tooLong = (maxBytes: number): string => `expected records of at most ${maxBytes} bytes, found a longer one`

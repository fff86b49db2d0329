import type { Draft, Place } from './turn.js'

/** One JSON value of a file. `record` and `offset` are those of a `Place`. */
export interface FileRecord {
  value: unknown
  record: number
  offset: number
}

/** Takes note of something that makes the file unusable, so that all of it is told at once. */
export type Report = (message: string, place: Place) => void

/** One kind of transcript file. A new one is a file in `formats/` and a line in `formats/list.ts`. */
export interface Format<Id extends string = string> {
  readonly id: Id
  /** What people call it. */
  readonly title: string
  /** The accepted shapes in one line, for messages. */
  readonly accepts: string
  /** Field names by which a stranger's file is said to come near this format. */
  readonly fields: readonly string[]
  /** How sure it is, from 0 (not mine) to 1, that a record is of this format. */
  detect(value: unknown): number
  /** All records of a file to transcripts; a record or turn it cannot read is reported and left out. */
  read(records: readonly FileRecord[], report: Report): Draft[]
}

/** The place of something inside a record. */
export function placeIn(record: FileRecord, pointer: string): Place {
  return { record: record.record, offset: record.offset, pointer }
}

import type { ConversationBuilder } from '../conversation/index.js'
import { describe, isObject, type JsonObject } from '../json/index.js'
import {
  type ConversationDraft,
  type KnownFields,
  type Place,
  type Problem,
  type ReadOptions,
  type Role,
  within,
} from '../model/index.js'

/**
 * One JSON value of a file: a line of JSONL, an element of the file's array, or the one document. A format decides
 * whether it is a transcript or an entry of one. `record`, `offset` and `member` are those of a `Place`.
 */
export interface FileRecord {
  value: unknown
  record: number
  offset: number
  member?: string
  /** JSON pointer to the value inside the record, where something wraps it. */
  pointer?: string
}

/** Reports something that makes the file unusable. All such problems are thrown together at the end. */
export type Report = (message: string, place: Place, code?: Problem['code']) => void

/** The arguments of a reader: where it reports, and the user's options. */
export interface ReaderContext {
  report: Report
  options: ReadOptions
}

/** Reads the records of one file, one after the other. */
export interface Reader {
  /** Takes the next record and gives the transcripts that are now complete. What cannot be read is reported. */
  read(record: FileRecord): readonly ConversationDraft[]
  /** The transcripts that are complete because the file has ended. */
  end(): readonly ConversationDraft[]
  /**
   * A line that is no JSON object or array, such as the last line of a log that is being written. Without this method
   * it makes the file unusable; with it, it is the reader's to count as lost.
   */
  broken?(message: string, place: Place): void
}

/** One kind of transcript file. A new one is a file in `formats/` and a line in `formats/list.ts`. */
export interface Format<Id extends string = string> {
  /** Its name in options, such as `openai-chat`; mostly also the `sourceSystem` of its transcripts. */
  readonly id: Id
  /** The name that people use for it. */
  readonly title: string
  /** The accepted shapes in one line, for messages. */
  readonly accepts: string
  /** Field names by which a stranger's file is said to come near this format. */
  readonly fields: readonly string[]
  /** The place of such files, for the reference. */
  readonly found: string
  /** The facts that are kept beside the content, for the reference. */
  readonly keeps: string
  /** The facts that are lost, for the reference. */
  readonly loses: string
  /** It is an export of many, of which those without any turn are left out. Default: such a one is a problem. */
  readonly skipsEmpty?: boolean
  /** The fields of a record that are read or hold no content; any others with text are lost. Default, and undefined: its reader counts them. */
  reads?(value: JsonObject): KnownFields | undefined
  /** The score of a record, from 0 (not of this format) to 1. */
  detect(value: unknown): number
  /** A reader for one file, which gets its records one after the other. */
  reader(notes: ReaderContext): Reader
}

/**
 * A reader of objects each of which is a transcript, or several. A record in which `read` finds none, or that is no
 * object, is reported.
 */
export function eachRecord(
  { accepts }: Pick<Format, 'accepts'>,
  { report }: ReaderContext,
  read: (value: JsonObject, record: FileRecord) => ConversationDraft | readonly ConversationDraft[] | undefined,
): Reader {
  return {
    read(record) {
      const drafts = isObject(record.value) ? read(record.value, record) : undefined
      if (drafts === undefined) report(`expected ${accepts}; found ${describe(record.value)}`, placeIn(record))
      return [drafts ?? []].flat()
    },
    end: () => [],
  }
}

/** The role of a message by a table of the roles of its shape; undefined, and reported, where it has none of these. */
export function roleIn(
  { role }: JsonObject,
  roles: ReadonlyMap<unknown, Role>,
  place: Place,
  report: Report,
): Role | undefined {
  const known = roles.get(role)
  if (known === undefined) {
    report(`expected a role of ${[...roles.keys()].join(', ')}; found ${describe(role)}`, within(place, 'role'))
  }
  return known
}

/** The place of a record, or of something inside it. */
export function placeIn({ record, offset, member, pointer: root }: FileRecord, within = ''): Place {
  const pointer = root === undefined ? within : root + within
  return member === undefined ? { record, offset, pointer } : { record, offset, pointer, member }
}

/** One provider's shape of a message, for its own format and for those that hold messages of any provider. */
export interface MessageShape {
  /** The score of a value, from 0 (no such message) to 1. */
  score(value: unknown): number
  /** Says the message in a conversation; one that cannot be read is reported and left out. */
  add(value: unknown, place: Place, conversation: ConversationBuilder, report: Report): void
}

import type { ConversationBuilder } from '../conversation/index.js'
import { describe, isObject, type JsonObject } from '../json/index.js'
import {
  type AuditedFormat,
  type ConversationDraft,
  Losses,
  type Place,
  type Problem,
  type ReaderContext,
  type Role,
  reasons,
  within,
} from '../model/index.js'
import type { ColumnField } from '../records/index.js'
import { withBranches } from './record-branches.js'

export type { ReaderContext, Report } from '../model/index.js'

/**
 * One JSON value of a file: a line of JSONL, an element of the file's array, a row of a table, or a whole document; or a line
 * of a text.
 * `record`, `offset` and `member` are those of a `Place`.
 */
export interface FileRecord {
  value: unknown
  record: number
  offset: number
  member?: string
  /** JSON pointer to the value inside the record, if other fields wrap it. */
  pointer?: string
}

/** Reads the records of one file in their order. */
export interface Reader {
  /** Read the next record and return the transcripts that are now complete. An unreadable record is reported. */
  read(record: FileRecord): readonly ConversationDraft[]
  /** The remaining transcripts at the end of the file. A reader that may hold many makes each when it is asked for the next. */
  end(): Iterable<ConversationDraft>
  /**
   * Count an invalid line as lost, such as the last line of a log that is still being written, or an invalid file of several
   * that are read together. Without this method it makes the file unusable.
   */
  broken?(message: string, place: Place): void
  /**
   * Note a record that cannot be read and may be a part of conversations that wait. Without this method, and without `broken`,
   * it costs all of them.
   */
  lose?(problem: Problem): void
  /** True if no conversation has more than one record, so that a bad one costs its own. Default: false. */
  readonly isPerRecord?: boolean
  /** True if the records of conversations interleave: one that cannot be read costs those that begin after it, too. Default: false. */
  readonly isInterleaved?: boolean
  /**
   * The numbers of the records whose transcripts are not complete, of a reader that returns transcripts of several records
   * before the end. Default: any record.
   */
  waiting?(): ReadonlySet<number>
  /** The fields of `ReadOptions.columns` that it uses. Default: none. */
  readonly maps?: readonly ColumnField[]
  /** True if its speakers have names, whose roles the user may choose, as those of a text do. Default: false. */
  readonly namesSpeakers?: boolean
}

/** One kind of transcript file, as `defineFormat` and `defineTextFormat` make it. */
export interface Format<Id extends string = string> extends AuditedFormat {
  /** The name in options, such as `openai-chat`; usually also the `sourceSystem` of its transcripts. */
  readonly id: Id
  /** The readable name. */
  readonly title: string
  /** The accepted shapes in one line, for messages and for the reference. */
  readonly accepts: string
  /**
   * Field names, one of which each of its records has; a table or dialogue may spell them otherwise. A format that shares one
   * with the first record is asked first, and the message about an unknown format names those that share most.
   */
  readonly fields: readonly string[]
  /** True for texts, whose records are lines (see `defineTextFormat`). Default: the records are JSON or rows of a table. */
  readonly isText?: boolean
  /** True for exports whose empty conversations are skipped. Default: an empty conversation is a problem. */
  readonly skipsEmpty?: boolean
  /**
   * True if a few names of fields make it read a record, which other products share. A record of which it understands only
   * half is then a problem: messages that it does not read, messages that are mostly empty, calls of which nothing is known.
   */
  readonly isGeneric?: boolean
  /** The score of a record, from 0 (not of this format) to 1. */
  detect(value: unknown): number
  /** A reader for one file, which gets its records one after the other. */
  reader(context: ReaderContext): Reader
}

/** A reader of records that are one or more transcripts each. A record in which `read` finds none is reported. */
export function eachRecord(
  { accepts }: Pick<Format, 'accepts'>,
  context: ReaderContext,
  read: (
    value: JsonObject,
    place: Place,
    context: ReaderContext,
  ) => ConversationDraft | readonly ConversationDraft[] | undefined,
): Reader {
  return {
    read(record) {
      const { value } = record
      const place = placeIn(record)
      const drafts = isObject(value) ? read(value, place, context) : undefined
      if (drafts === undefined) context.report(`expected ${accepts}; found ${describe(value)}`, place)
      return withBranches([drafts ?? []].flat(), value, place, context)
    },
    end: () => [],
    isPerRecord: true,
  }
}

/** The score of an entry without messages: it belongs to an export if other entries do. */
export const shellScore = 0.1

/** True for an entry of an export that has fields of a conversation, but neither its messages nor any unknown list or object. */
export function isShell(value: unknown, conversation: ReadonlySet<string>, messages: string): boolean {
  if (!isObject(value) || (value[messages] ?? null) !== null) return false
  const keys = Object.keys(value)
  const known = keys.filter((key) => conversation.has(key)).length
  return known > 1 && known * 2 > keys.length && keys.every((key) => conversation.has(key) || !holdsFields(value[key]))
}

const holdsFields = (value: unknown) => typeof value === 'object' && value !== null

/** The role of a message in a table of roles; undefined, and reported, if the table does not have it. */
export function roleIn(
  { role }: JsonObject,
  roles: ReadonlyMap<unknown, Role>,
  place: Place,
  conversation: ConversationBuilder,
): Role | undefined {
  const known = roles.get(role)
  if (known === undefined) {
    conversation.report(
      `expected a role of ${[...roles.keys()].join(', ')}; found ${describe(role)}`,
      within(place, 'role'),
    )
  }
  return known
}

/** The place of a record, or of the value at the pointer `within` it. */
export function placeIn({ record, offset, member, pointer: root }: FileRecord, within = ''): Place {
  const pointer = root === undefined ? within : root + within
  return member === undefined ? { record, offset, pointer } : { record, offset, pointer, member }
}

/** One provider's shape of a message, for its own format and for formats that hold messages of any provider. */
export interface MessageShape {
  /** The score of a value, from 0 (not such a message) to 1. */
  score(value: unknown): number
  /** Add the message to a conversation. An unreadable message is reported and omitted. */
  add(value: unknown, place: Place, conversation: ConversationBuilder): void
}

/** A reader of logs whose transcripts are complete only at the end of the file. Counts invalid lines. */
export abstract class LogReader implements Reader {
  protected readonly context: ReaderContext
  /** The losses of the file that belong to no single transcript. */
  protected readonly losses: Losses
  protected first: Place | undefined

  constructor(context: ReaderContext) {
    this.context = context
    this.losses = new Losses(context.account)
  }

  abstract read(record: FileRecord): ConversationDraft[]

  protected abstract drafts(): Iterable<ConversationDraft>

  /** Report a log without a conversation. */
  protected abstract reportEmpty(first: Place): void

  broken(message: string, place: Place): void {
    this.first ??= place
    if (place.member === undefined) this.losses.drop('line that is not a JSON object', message)
    else this.losses.drop(`file ${place.member}`, `${reasons.unreadable}: ${message}`)
  }

  /** Add the losses of the file to those of its first conversation. */
  protected addLosses(first: ConversationDraft): void {
    const losses = new Losses()
    losses.addAll([...this.losses.list(), ...first.losses])
    first.losses = losses.list()
  }

  *end(): Generator<ConversationDraft> {
    let isEmpty = true
    for (const draft of this.first === undefined ? [] : this.drafts()) {
      isEmpty = false
      yield draft
    }
    if (isEmpty && this.first !== undefined) this.reportEmpty(this.first)
  }
}

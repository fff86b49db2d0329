import { Account } from './account.js'
import type { Problem } from './problem.js'
import { Tally } from './tally.js'
import type { Place } from './turn.js'

/**
 * Report a problem. The conversation around the place, or that of `origin`, is not read. All problems are thrown together at
 * the end.
 */
export type Report = (message: string, place: Place, code?: Problem['code'], origin?: object) => void

/** The context of a reader, and of the conversations that it builds. */
export interface ReaderContext {
  /** The id of the format: the default `sourceSystem`. */
  format: string
  /** Reports a problem. */
  report: Report
  /** Reports a record that may belong to several conversations; give the result to `RowGroups.lose`. */
  lose: (message: string, place: Place) => Problem
  /** Reports a record of a conversation that was given already. Several of one conversation are one problem. */
  reportLate: (message: string, place: Place, id: string) => void
  /** Skip a record that holds no conversation for a known reason, such as a failed request. A file with nothing else is refused. */
  skip: (reason: string, place: Place) => void
  /** The options of the user. */
  options: ReadOptions
  /** True if a record that is only half understood is a problem: see `Format.isGeneric`. Default: false. */
  isGeneric?: boolean | undefined
  /** The texts of the file, and those given to transcripts and losses. */
  account: Account
  /** Gets the fields that the user maps, and that a declared format finds in a conversation. */
  usedMaps?: Set<string>
  /** Counts the conversations that are begun, and those that become transcripts or problems. */
  tally: Tally
  /** The bytes of rows that may wait for others of their conversation. Default: enough for most files. */
  maxWaiting?: number | undefined
}

/** The context of a conversation outside of a file: nobody asks for its problems. */
export const quietContext = (fields: Partial<ReaderContext> = {}): ReaderContext => ({
  format: '',
  report: () => {},
  lose: (message, { record }) => ({ message, record, line: record, column: 1 }),
  reportLate: () => {},
  skip: () => {},
  options: {},
  account: new Account(),
  tally: new Tally(),
  ...fields,
})

/** Options for reading, which formats apply where they can. */
export interface ReadOptions {
  /** Keep the model's thinking as `metadata.thinking` of its turn. Default: dropped and counted. */
  thinking?: boolean | undefined
  /** Return the conversations of sub-agents as separate transcripts. Default: dropped and counted. */
  subagents?: boolean | undefined
  /** Return every branch of an edited or regenerated conversation. Default: only the kept one. */
  branches?: boolean | undefined
  /**
   * The columns of a table, or the fields of JSON rows, that hold the parts of a message: `{ role: 'speaker', content:
   * 'text', id: 'meta.ticket' }`, or `{ user: 'question', assistant: 'answer' }` for rows with several messages. An empty
   * `id` reads all rows as one conversation. `{ 'role:Ada': 'user' }` is the role of a speaker; in a text, `role:*` that of
   * all others. Default: the usual names.
   */
  columns?: Record<string, string> | undefined
  /** The character that escapes quotes and separators in CSV, such as `\`. Default: only a doubled quote. */
  csvEscape?: string | undefined
  /** The current time in milliseconds since 1970: times more than a day later are dropped. Default: no bound. */
  now?: number | undefined
}

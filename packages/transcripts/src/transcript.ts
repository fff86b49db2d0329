import type { AnyFormatId } from './formats/index.js'
import type { ConversationDraft, Problem } from './model/index.js'

/** One conversation of a file, with its losses. */
export interface Transcript extends ConversationDraft {
  /** The format of the file. */
  format: AnyFormatId
  /** A hash of the records that it was read from, if the option `hash` is given: the same as long as they are the same. */
  digest?: string
}

/** The result of `parse`. There is at least one transcript, and each has at least one turn. */
export interface Parsed {
  /** The format of the file. */
  format: AnyFormatId
  /** In the order of the file. */
  transcripts: Transcript[]
  /** The conversations of an export without any turn, and the failed requests of a batch. */
  skipped: Problem[]
}

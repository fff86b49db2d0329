import type { FormatId } from './formats/index.js'
import type { ConversationDraft, Problem } from './model/index.js'

/** One conversation, in the order of its file, with what could not be carried. */
export interface Transcript extends ConversationDraft {
  /** The format that it was read as. */
  format: FormatId
  /** A hash of the records that it was read from, where one was asked for: the same as long as the file says the same. */
  digest?: string
}

/** A file that was read: never without transcripts, and none of them without turns. */
export interface Parsed {
  /** The format of the file. */
  format: FormatId
  /** In the order of the file. */
  transcripts: Transcript[]
  /** The conversations of an export that have no turns, and so are no transcripts. */
  skipped: Problem[]
}

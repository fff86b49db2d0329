import { type ConversationDraft, Losses, type Place } from '../model/index.js'
import type { FileRecord, Reader, ReaderContext } from './format.js'

/** A reader of logs, whose lines make transcripts only once all have come; a broken line is counted. */
export abstract class LogReader implements Reader {
  protected readonly notes: ReaderContext
  /** What is lost of the file, whatever transcript it would have been of. */
  protected readonly losses = new Losses()
  /** Where the file begins. */
  protected first: Place | undefined

  constructor(notes: ReaderContext) {
    this.notes = notes
  }

  abstract read(record: FileRecord): ConversationDraft[]

  broken(message: string, place: Place): void {
    this.first ??= place
    this.losses.drop('line that is not a JSON object', message)
  }

  end(): ConversationDraft[] {
    return this.first === undefined ? [] : this.drafts(this.first)
  }

  /** The transcripts of all lines so far. */
  protected abstract drafts(first: Place): ConversationDraft[]
}

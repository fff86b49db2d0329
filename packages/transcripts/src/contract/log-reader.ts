import { type ConversationDraft, Losses, type Place, type ReaderContext } from '../model/index.js'
import type { FileRecord, Reader } from './format.js'

/** A reader of logs whose transcripts are complete only at the end of the file. Counts invalid lines. */
export abstract class LogReader implements Reader {
  protected readonly notes: ReaderContext
  /** The losses of the file that belong to no single transcript. */
  protected readonly losses = new Losses()
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

  protected abstract drafts(first: Place): ConversationDraft[]
}

import { bytesOf, ConversationSize } from '../conversation/index.js'
import { isObject, type JsonObject } from '../json/index.js'
import type { ConversationDraft, Place, Placed } from '../model/index.js'
import { TableRow, TextLine } from '../records/index.js'
import type { FormatDeclaration, JoinedPieces } from './declaration.js'
import { type FileRecord, LogReader, placeIn, type ReaderContext } from './format.js'

/** Reads a conversation that is stored in several files: each is a record, and all are put together at the end. */
export class PiecesReader extends LogReader {
  readonly #pieces: (Placed & { value: JsonObject })[] = []
  readonly #size = new ConversationSize()
  #problem: { problem: string; place: Place } | undefined

  constructor(
    context: ReaderContext,
    readonly join: NonNullable<FormatDeclaration['pieces']>,
    readonly readConversation: (
      joined: JoinedPieces & { place: Place },
      context: ReaderContext,
    ) => ConversationDraft[] | undefined,
    /** Reads a record that is a whole conversation; undefined if it is a piece of one. */
    readonly readWhole: (record: FileRecord) => ConversationDraft[] | undefined,
  ) {
    super(context)
  }

  read(record: FileRecord): ConversationDraft[] {
    const whole = this.readWhole(record)
    if (whole) return whole
    const place = placeIn(record)
    this.first ??= place
    const { value } = record
    const isJson = isObject(value) && !(value instanceof TextLine || value instanceof TableRow)
    if (isJson) {
      this.#size.add(bytesOf(value), place)
      this.#pieces.push({ value, place })
    } else this.broken('it holds no JSON object', place)
    return []
  }

  /** Only the other files of a conversation may be damaged. */
  override broken(message: string, place: Place): void {
    if (place.member === undefined) this.context.report(message, place)
    else super.broken(message, place)
  }

  protected *drafts(): Generator<ConversationDraft> {
    const lose = (value: unknown, what: string, why: string) => this.losses.dropValue(value, what, why)
    const joined = this.join(this.#pieces, lose)
    if (joined && 'problem' in joined) {
      this.#problem = joined
      return
    }
    const drafts = (joined && this.first && this.readConversation({ ...joined, place: this.first }, this.context)) ?? []
    const [first] = drafts
    if (first) this.addLosses(first)
    yield* drafts
  }

  protected reportEmpty(first: Place): void {
    if (this.#problem) this.context.report(this.#problem.problem, this.#problem.place)
    else this.context.report('expected the messages of a session beside it, found none', first, 'nothing_said')
  }
}

import { bytesOf, ConversationSize } from '../conversation/index.js'
import { isObject, type JsonObject } from '../json/index.js'
import type { ConversationDraft, Place, Placed, ReaderContext } from '../model/index.js'
import { TableRow, TextLine } from '../records/index.js'
import type { FormatDeclaration, FoundConversation, LosePiece, Piece } from './declaration.js'
import { type FileRecord, LogReader, placeIn } from './format.js'
import { declaredMaps } from './mapped.js'

interface JoinOptions {
  accepts: string
  /** See `FormatDeclaration`. */
  isLog: boolean
  /** True if all records are of one conversation, which has a largest size. */
  isOne: boolean
  namesSpeakers: boolean
  join: NonNullable<FormatDeclaration['join']>
  read(conversation: FoundConversation & { place: Place }, context: ReaderContext): ConversationDraft[] | undefined
  /** Reads a record that is a whole conversation; undefined if it is a piece of one. */
  readWhole(record: FileRecord): ConversationDraft[] | undefined
}

/** Reads conversations that are stored in several records each, which are joined at the end. */
export class JoinedReader extends LogReader {
  readonly isInterleaved = true
  readonly maps = declaredMaps
  readonly namesSpeakers: boolean
  readonly #pieces: Piece[] = []
  readonly #size = new ConversationSize()
  readonly #options: JoinOptions
  #hasReported = false

  constructor(context: ReaderContext, options: JoinOptions) {
    super(context)
    this.#options = options
    this.namesSpeakers = options.namesSpeakers
  }

  read(record: FileRecord): ConversationDraft[] {
    const whole = this.#options.readWhole(record)
    if (whole) return whole
    const place = placeIn(record)
    this.first ??= place
    const { value } = record
    const { isLog, isOne } = this.#options
    const isJson = isObject(value) || (isLog && Array.isArray(value))
    if (isJson && !(value instanceof TextLine || value instanceof TableRow)) {
      if (isOne) this.#size.add(bytesOf(value), place)
      // A line of a log may be a list, which has no fields.
      this.#pieces.push({ value: value as JsonObject, place })
    } else this.broken('it holds no JSON object', place)
    return []
  }

  /** Only the lines of a log and the other files of a conversation may be damaged. */
  override broken(message: string, place: Place): void {
    if (place.member === undefined && !this.#options.isLog) this.context.report(message, place)
    else super.broken(message, place)
  }

  protected *drafts(): Generator<ConversationDraft> {
    const lose: LosePiece = (value, what, why) => this.losses.dropValue(value, what, why)
    const report = (message: string, place: Place) => {
      this.#hasReported = true
      this.context.report(message, place)
    }
    const joined = this.#options.join(this.#pieces, lose, report)
    const place = this.first
    if (place === undefined) return
    let isFirst = true
    for (const conversation of joined ?? []) {
      const drafts = this.#options.read({ place, ...conversation }, this.context) ?? []
      const [first] = drafts
      if (first && isFirst) this.addLosses(first)
      isFirst &&= first === undefined
      yield* drafts
    }
  }

  protected reportEmpty(first: Place): void {
    const { accepts, isLog } = this.#options
    if (this.#hasReported) return
    if (isLog) this.context.report(`expected ${accepts}; found none`, first)
    else this.context.report('expected the messages of a session beside it, found none', first, 'nothing_said')
  }
}

/** Joins the records of a log in which a header begins each conversation, and other records are messages. */
export const joinByHeader =
  (isHeader: (value: unknown) => boolean) =>
  (pieces: readonly Piece[]): FoundConversation[] => {
    const found: (Placed & { value: JsonObject; messages: Placed[] })[] = []
    for (const { value, place } of pieces) {
      const begins = isHeader(value)
      if (begins || found.length === 0) found.push({ value: begins ? value : {}, place, messages: [] })
      if (!begins) found.at(-1)?.messages.push({ value, place })
    }
    return found
  }

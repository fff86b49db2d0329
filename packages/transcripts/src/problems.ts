import type { Piece } from './piece.js'
import { type Position, PositionsIn, shifted } from './position-in.js'
import type { Problem } from './problem.js'
import type { Place } from './turn.js'

/** A file with more is hopeless, and they would fill the memory. */
const most = 10_000

/** Collects the problems of a file while it is read, each with its line and column. */
export class Problems {
  readonly list: Problem[] = []
  #piece: Piece | undefined
  #positions: PositionsIn | undefined
  #member: string | undefined
  /** The line and column at which earlier records start, if their number does not give it. */
  #starts: number[] = []

  get isFull(): boolean {
    return this.list.length >= most
  }

  /** From here on problems are of this piece, unless their place says otherwise. */
  see(piece: Piece, member: string | undefined): void {
    if (member !== this.#member) this.#starts = []
    this.#member = member
    this.#piece = piece
    this.#positions = undefined
    if (piece.record !== piece.line) this.#starts[piece.record * 2] = piece.line
    if (piece.record !== piece.line || piece.column > 1) this.#starts[piece.record * 2 + 1] = piece.column
  }

  tell(message: string, place: Place, code?: Problem['code']): void {
    this.list.push({ ...this.problem(message, place), ...(code && { code }) })
  }

  tellAt(message: string, place: Place, at: Position, code?: Problem['code']): void {
    this.list.push({ ...this.problem(message, place, at), ...(code && { code }) })
  }

  problem(message: string, place: Place, at = this.#positionOf(place)): Problem {
    const { record, pointer, member } = place
    return { message, ...at, record, ...(pointer !== '' && { pointer }), ...(member !== undefined && { member }) }
  }

  #positionOf(place: Place): Position {
    const piece = this.#piece
    if (piece && piece.record === place.record && this.#member === place.member) {
      this.#positions ??= new PositionsIn(piece.text)
      return shifted(this.#positions.of(place.pointer), piece)
    }
    if (place.member !== this.#member) return { line: 1, column: 1 }
    const { record } = place
    return { line: this.#starts[record * 2] ?? record, column: this.#starts[record * 2 + 1] ?? 1 }
  }
}

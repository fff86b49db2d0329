import { type Position, PositionsIn, positionInWhole } from '../json/index.js'
import type { Place, Problem } from '../model/index.js'
import type { RawRecord } from '../records/index.js'

/** Bounds the memory that the problems of one file take. */
const maxProblems = 10_000

/** Collects the problems of a file while it is read and finds the line and column of each. */
export class Problems {
  readonly list: Problem[] = []
  #current: RawRecord | undefined
  #positions: PositionsIn | undefined
  #member: string | undefined
  /** Lines and columns of earlier records by their numbers, where they differ from the number and 1. */
  #lines: number[] = []
  #columns: number[] = []

  get isFull(): boolean {
    return this.list.length >= maxProblems
  }

  /** Set the record that is read now; only its text is available to find positions inside a record. */
  setRecord(current: RawRecord, member: string | undefined): void {
    if (member !== this.#member) {
      this.#lines = []
      this.#columns = []
    }
    this.#member = member
    this.#current = current
    this.#positions = undefined
    const { record, line, column } = current
    if (record !== line) this.#lines[record] = line
    if (record !== line || column > 1) this.#columns[record] = column
  }

  report(message: string, place: Place, details?: { at?: Position; code?: Problem['code'] }): void {
    this.list.push(this.problem(message, place, details))
  }

  problem(
    message: string,
    place: Place,
    { at = this.#positionOf(place), code }: { at?: Position; code?: Problem['code'] } = {},
  ): Problem {
    const { record, pointer, member } = place
    const optional = {
      ...(code && { code }),
      ...(pointer !== '' && { pointer }),
      ...(member !== undefined && { member }),
    }
    return { message, ...at, record, ...optional }
  }

  #positionOf({ record, pointer, member }: Place): Position {
    if (member !== this.#member) return { line: 1, column: 1 }
    if (this.#current?.record === record) {
      this.#positions ??= new PositionsIn(this.#current.text)
      return positionInWhole(this.#positions.of(pointer), this.#current)
    }
    return { line: this.#lines[record] ?? record, column: this.#columns[record] ?? 1 }
  }
}

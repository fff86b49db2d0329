import { type Position, PositionsIn, positionInWhole, syntaxError } from '../json/index.js'
import type { RawRecord } from '../records/index.js'
import type { Place } from './turn.js'

/** One thing that makes a file unusable: what was expected, what came, and where. */
export interface Problem {
  /** The expectation, the finding, and mostly the next step. */
  message: string
  /**
   * Why a file that may be sound holds no conversation: `only_subagents` for a log with only those of sub-agents, which the
   * option `subagents` takes, `nothing_said` for one in which nobody speaks, `unknown_format` for JSON or a table that
   * no format knows, `empty_file` for a file without any record.
   */
  code?: 'only_subagents' | 'nothing_said' | 'unknown_format' | 'empty_file'
  /** 1-based. */
  line: number
  /** 1-based, in UTF-16 code units. */
  column: number
  /** The record, as in a `Place`. */
  record?: number
  /** JSON pointer inside the record. */
  pointer?: string
  /** The file inside an archive. */
  member?: string
}

/** A file that cannot be read as transcripts, with all its problems. */
export class TranscriptFileError extends Error {
  override readonly name = 'TranscriptFileError'
  /** Every problem, in the order of the file. The message shows the first 20. */
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(summary(problems))
    this.problems = problems
  }
}

const shown = 20

function summary(problems: readonly Problem[]): string {
  const lines = problems.slice(0, shown).map((problem) => {
    const pointer = problem.pointer === undefined ? '' : ` (${problem.pointer})`
    const member = problem.member === undefined ? '' : `${problem.member}, `
    return `${member}line ${problem.line}, column ${problem.column}${pointer}: ${problem.message}`
  })
  if (problems.length > shown) lines.push(`and ${problems.length - shown} more problems`)
  return lines.join('\n')
}

/** A file with more is hopeless, and they would fill the memory. */
const most = 10_000

/** Collects the problems of a file while it is read, each with its line and column. */
export class Problems {
  readonly list: Problem[] = []
  #piece: RawRecord | undefined
  #positions: PositionsIn | undefined
  #member: string | undefined
  /** The line and column at which earlier records start, if their number does not give it. */
  #starts: number[] = []

  get isFull(): boolean {
    return this.list.length >= most
  }

  /** From here on problems are of this piece, unless their place says otherwise. */
  see(piece: RawRecord, member: string | undefined): void {
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
      return positionInWhole(this.#positions.of(place.pointer), piece)
    }
    if (place.member !== this.#member) return { line: 1, column: 1 }
    const { record } = place
    return { line: this.#starts[record * 2] ?? record, column: this.#starts[record * 2 + 1] ?? 1 }
  }
}

/** Why a text is no JSON document: the first place where it stops being one; undefined where it is one. */
export function jsonProblem(text: string): Problem | undefined {
  const error = syntaxError(text)
  return error && { message: error.message, ...new PositionsIn(text).at(error.offset) }
}

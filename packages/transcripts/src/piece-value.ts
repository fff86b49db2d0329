import { type FileRecord, placeIn } from './format.js'
import { describe } from './json.js'
import { syntaxError } from './json-scan.js'
import type { Layout } from './layout.js'
import type { Piece } from './piece.js'
import { type Position, PositionsIn, shifted } from './position-in.js'
import type { Place } from './turn.js'

/** A piece of a file with its value, or with its error. */
export interface Parsed {
  piece: Piece
  record: FileRecord
  flaw?: { message: string; at: Position; place: Place }
}

/** Parses what was cut out of a file. A line of JSONL must be an object or an array. */
export function parsePiece(piece: Piece, layout: Layout | undefined, member: string | undefined): Parsed {
  const { record, offset, text } = piece
  if (piece.flaw === undefined) {
    try {
      const value: unknown = piece.value ?? JSON.parse(text)
      if (layout !== 'lines' || (typeof value === 'object' && value !== null)) {
        return { piece, record: member === undefined ? { value, record, offset } : { value, record, offset, member } }
      }
    } catch {
      // The error is reported below.
    }
  }
  return flawedPiece(piece, member)
}

function flawedPiece(piece: Piece, member: string | undefined): Parsed {
  const { record, offset, text } = piece
  const place = placeIn({ value: undefined, record, offset, ...(member !== undefined && { member }) })
  const flawed = (message: string, index = 0): Parsed => ({
    piece,
    record: { value: undefined, ...place },
    flaw: { message, at: shifted(new PositionsIn(text).at(index), piece), place },
  })
  if (piece.flaw !== undefined) return flawed(piece.flaw)
  const error = syntaxError(text)
  if (error) return flawed(error.message, error.offset)
  return flawed(`expected an object or an array on each line, found ${describe(JSON.parse(text))}`)
}

import type { ByteQueue } from './byte-queue.js'
import { isSpace, type Piece, type Splitter, type Start, tooLong } from './piece.js'
import { textOfBytes } from './text-of-bytes.js'

const newline = 0x0a

/** JSONL: each line that is not blank is a record, and its number is the line's. Nothing is cut after one too long. */
export function splitLines(queue: ByteQueue, { line: first, most }: Start): Splitter {
  let line = first
  // Waiting bytes known to hold no line break, so that a long line is not looked through with each chunk.
  let searched = 0
  // Blanks at the start of the line that are no longer waiting.
  let passed = 0
  let isStopped = false
  return {
    split(ended) {
      const pieces: Piece[] = []
      const { bytes, offset } = queue
      let at = isStopped ? bytes.length : 0
      while (!isStopped) {
        const found = bytes.indexOf(newline, Math.max(at, searched))
        if (found === -1) for (; isSpace(bytes[at]); at++) passed++
        if (found === -1 && !ended && bytes.length - at <= most) break
        const end = found === -1 ? bytes.length : found
        const piece = pieceOf(bytes, at, end, offset, line, most)
        if (piece) {
          piece.column += passed
          pieces.push(piece)
        }
        passed = 0
        at = Math.min(end + 1, bytes.length)
        isStopped = piece?.flaw !== undefined
        if (found === -1) break
        line++
      }
      if (isStopped) at = bytes.length
      queue.take(at)
      searched = bytes.length - at
      return pieces
    },
  }
}

function pieceOf(
  bytes: Uint8Array,
  from: number,
  to: number,
  base: number,
  line: number,
  most: number,
): Piece | undefined {
  let start = from
  let end = to
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  const isTooLong = to - from > most
  if (start === end && !isTooLong) return undefined
  const offset = base + start
  const column = start - from + 1
  if (isTooLong) return { record: line, offset, line, column, text: '', flaw: tooLong(most) }
  const { text, repaired } = textOfBytes(bytes, start, end)
  const piece: Piece = { record: line, offset, line, column, text }
  if (repaired) piece.repaired = true
  return piece
}

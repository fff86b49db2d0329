import type { ByteQueue } from './bytes.js'
import { isSpace, newline, type RawRecord, type Splitter, type Start, textOfBytes, tooLong } from './raw-record.js'

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
      const pieces: RawRecord[] = []
      const { bytes, offset } = queue
      let at = isStopped ? bytes.length : 0
      while (at < bytes.length) {
        const lineStart = at - passed
        for (; isSpace(bytes[at]) && bytes[at] !== newline; at++) passed++
        const found = bytes.indexOf(newline, Math.max(at, searched))
        const end = found === -1 ? bytes.length : found
        const isTooLong = end - at > most
        if (found === -1 && !ended && !isTooLong) break
        let textEnd = end
        while (textEnd > at && isSpace(bytes[textEnd - 1])) textEnd--
        if (textEnd > at) {
          const read = isTooLong ? { text: '', flaw: tooLong(most) } : textOfBytes(bytes.subarray(at, textEnd))
          pieces.push({ record: line, offset: offset + at, line, column: at - lineStart + 1, ...read })
        }
        isStopped = isTooLong
        passed = 0
        line++
        at = isStopped ? bytes.length : end + 1
      }
      at = Math.min(at, bytes.length)
      queue.take(at)
      searched = bytes.length - at
      return pieces
    },
  }
}

import { type ByteQueue, newline, textOfBytes } from './bytes.js'
import { type RawRecord, type Splitter, type SplitterOptions, tooLong } from './raw-record.js'

/** Tells texts from JSON, also for a format that uses another copy of this package. */
const mark = Symbol.for('@svc/transcripts/text')

/** A line of a text file without its line end; it may be blank. */
export class TextLine {
  readonly [mark] = 'line'
  constructor(readonly text: string) {}
}

/** The first lines of a text file, by which its format is detected. */
export class TextHead {
  readonly [mark] = 'head'
  constructor(readonly lines: readonly string[]) {}
}

const isMarked = (value: unknown, kind: string): boolean =>
  typeof value === 'object' && value !== null && mark in value && value[mark] === kind

export const isTextLine = (value: unknown): value is TextLine => isMarked(value, 'line')
export const isTextHead = (value: unknown): value is TextHead => isMarked(value, 'head')

const carriageReturn = 0x0d

/** The index of a byte; the length of the bytes if there is none. */
function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}

/** The lines of a text file, each numbered by itself. They end in LF, CRLF or CR. Nothing is read after a line that is too long. */
export function splitText(queue: ByteQueue, { line: firstLine, maxBytes }: SplitterOptions): Splitter {
  let line = firstLine
  // Waiting bytes without a line end, so that a long line is not searched again with each chunk.
  let searched = 0
  let isStopped = false
  return {
    split(ended) {
      const records: RawRecord[] = []
      const { bytes, offset } = queue
      const { length } = bytes
      let at = isStopped ? length : 0
      let end = searched
      let feed = -1
      let carriage = -1
      while (at < length) {
        if (feed < end) feed = indexOf(bytes, newline, end)
        if (carriage < end) carriage = indexOf(bytes, carriageReturn, end)
        end = Math.min(feed, carriage)
        const isTooLong = end - at > maxBytes
        // The line feed of a CRLF may be in the next chunk.
        const isCut = end === length || (end === length - 1 && bytes[end] === carriageReturn)
        if (isCut && !ended && !isTooLong) break
        const read = isTooLong
          ? { text: '', error: tooLong(maxBytes), isLast: true }
          : textOfBytes(bytes.subarray(at, end))
        records.push({ record: line, offset: offset + at, line, column: 1, value: new TextLine(read.text), ...read })
        line++
        isStopped = isTooLong
        const isPair = bytes[end] === carriageReturn && bytes[end + 1] === newline
        at = isStopped ? length : Math.min(length, end + (isPair ? 2 : 1))
        end = at
      }
      queue.consume(at)
      searched = end - at
      return records
    },
  }
}

import type { ByteQueue } from './byte-queue.js'
import { foundAt } from './json-scan.js'
import { isSpace, type Piece, type Splitter, type Start, tooLong } from './piece.js'
import { textOfBytes } from './text-of-bytes.js'
import { ValueScan } from './value-scan.js'

const newline = 0x0a
const comma = 0x2c
const closeBracket = 0x5d
const closeBrace = 0x7d

/** So many bytes tell what stands where something else was expected. */
const shown = 40

type Phase = 'open' | 'first' | 'value' | 'after' | 'next' | 'closed' | 'stopped'

/** The elements of the file's one array. After something that cannot be right nothing more is cut. */
export function splitArray(queue: ByteQueue, start: Start): Splitter {
  return splitValues(queue, start, true)
}

/** Documents that follow each other, each over one or more lines. */
export function splitDocuments(queue: ByteQueue, start: Start): Splitter {
  return splitValues(queue, start, false)
}

/** All that waits as one document, if it is one. */
export function wholeDocument(queue: ByteQueue, { line, most }: Start): Piece | undefined {
  const { bytes } = queue
  return bytes.length <= most ? new Cutter(queue, line).whole(bytes) : undefined
}

function splitValues(queue: ByteQueue, { line, most }: Start, inArray: boolean): Splitter {
  const cutter = new Cutter(queue, line)
  const scan = new ValueScan()
  let phase: Phase = inArray ? 'open' : 'first'

  /** What a byte outside a value means; a message where it cannot stand there. */
  const step = (byte: number): Phase | { flaw: string } => {
    if (!inArray) return isClosing(byte) ? { flaw: 'expected a value' } : 'value'
    switch (phase) {
      case 'open':
        return 'first'
      case 'first':
        if (byte === closeBracket) return 'closed'
        return isClosing(byte) ? { flaw: 'expected a value' } : 'value'
      case 'next':
        return isClosing(byte) ? { flaw: 'expected another element; remove the comma before it' } : 'value'
      case 'after':
        if (byte === closeBracket) return 'closed'
        return byte === comma ? 'next' : { flaw: 'expected "," or "]"' }
      default:
        return { flaw: 'expected the end of the document' }
    }
  }

  return {
    split(ended) {
      const pieces: Piece[] = []
      const { bytes } = queue
      if (ended && !inArray && cutter.isFresh) {
        const whole = wholeDocument(queue, { line, most })
        if (whole) return [whole]
      }
      let at = 0
      while (at < bytes.length && phase !== 'stopped') {
        if (phase !== 'value') {
          if (bytes[at] === newline) cutter.newLine(at)
          else if (!isSpace(bytes[at])) {
            const next = step(bytes[at] as number)
            if (typeof next === 'object') {
              if (!ended && bytes.length - at < shown) break
              pieces.push(cutter.flaw(bytes, at, next.flaw))
              phase = 'stopped'
              break
            }
            phase = next
            if (phase === 'value') continue
          }
          at++
          continue
        }
        const found = scan.endOf(bytes, at)
        const end = found === -1 ? bytes.length : found
        if (end - at > most) {
          pieces.push(cutter.refused(at, tooLong(most)))
          phase = 'stopped'
          break
        }
        if (found === -1 && !ended) break
        pieces.push(cutter.cut(bytes, at, end, scan.lineBreaks))
        phase = inArray ? 'after' : 'first'
        at = end
      }
      if (phase === 'stopped') at = bytes.length
      else if (ended && inArray && phase !== 'closed') {
        pieces.push(cutter.flaw(bytes, at, 'expected "," or "]"'))
        phase = 'stopped'
      }
      queue.take(at)
      return pieces
    },
  }
}

/** Cuts pieces and keeps count of records, lines and columns. */
class Cutter {
  readonly #queue: ByteQueue
  readonly #first: number
  #record = 0
  #line: number
  /** Where the line starts, moved by what multi-byte characters on it take beyond one unit each. */
  #lineStart: number

  constructor(queue: ByteQueue, line: number) {
    this.#queue = queue
    this.#first = line
    this.#line = line
    this.#lineStart = queue.offset
  }

  /** True if nothing has been looked at yet. */
  get isFresh(): boolean {
    return this.#record === 0 && this.#line === this.#first
  }

  /** All bytes as one document, if they are one: the parser tells that sooner than a search for its end. */
  whole(bytes: Uint8Array): Piece | undefined {
    let start = 0
    for (; isSpace(bytes[start]); start++) if (bytes[start] === newline) this.newLine(start)
    let end = bytes.length
    while (end > start && isSpace(bytes[end - 1])) end--
    const piece = this.#parsed(bytes, start, end)
    if (piece) this.#queue.take(bytes.length)
    return piece
  }

  newLine(at: number): void {
    this.#line++
    this.#lineStart = this.#queue.offset + at + 1
  }

  /** What was expected and is not there. */
  flaw(bytes: Uint8Array, at: number, wanted: string): Piece {
    const { text } = textOfBytes(bytes, at, at + shown)
    return this.refused(at, `${wanted}, found ${foundAt(text, 0)}`)
  }

  refused(at: number, flaw: string): Piece {
    const piece = this.#place(at, '')
    piece.flaw = flaw
    return piece
  }

  cut(bytes: Uint8Array, start: number, end: number, lineBreaks: number): Piece {
    const { text, repaired } = textOfBytes(bytes, start, end)
    const piece = this.#place(start, text)
    if (repaired) piece.repaired = true
    this.#pass(text, start, end, lineBreaks)
    return piece
  }

  #parsed(bytes: Uint8Array, start: number, end: number): Piece | undefined {
    const { text, repaired } = textOfBytes(bytes, start, end)
    try {
      const value: unknown = JSON.parse(text)
      const piece = this.#place(start, text)
      piece.value = value
      if (repaired) piece.repaired = true
      return piece
    } catch {
      return undefined
    }
  }

  #pass(text: string, start: number, end: number, lineBreaks: number): void {
    this.#line += lineBreaks
    if (lineBreaks === 0) this.#lineStart += end - start - text.length
    else this.#lineStart = this.#queue.offset + end - (text.length - (text.lastIndexOf('\n') + 1))
  }

  #place(at: number, text: string): Piece {
    const offset = this.#queue.offset + at
    return { record: ++this.#record, offset, line: this.#line, column: offset - this.#lineStart + 1, text }
  }
}

const isClosing = (byte: number): boolean => byte === comma || byte === closeBracket || byte === closeBrace

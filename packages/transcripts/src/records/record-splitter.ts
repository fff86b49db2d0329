import { cutOffText, foundAt } from '../json/index.js'
import { ByteQueue, isSpace, newline, textOfBytes, Utf8Converter } from './bytes.js'
import { type Layout, layoutOf } from './layout.js'
import { type RawRecord, type Splitter, type SplitterOptions, tooLong } from './raw-record.js'
import { splitTable, type TableOptions } from './table.js'
import { splitText } from './text.js'
import { valueScanner } from './value-scanner.js'

/** Half of the longest string that every runtime holds. */
const maxRecordBytes = 2 ** 28

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Cuts a file into records as its chunks arrive and holds only the incomplete record. */
export class RecordSplitter {
  readonly #queue = new ByteQueue()
  readonly #utf8 = new Utf8Converter()
  readonly #options: TableOptions
  readonly #maxBytes: number
  #line = 1
  /** The number of bytes at the last attempt to detect the layout. */
  #examined = 0
  #layout: Layout | undefined
  #splitter: Splitter | undefined

  constructor(options: TableOptions = {}, maxBytes = maxRecordBytes) {
    this.#options = options
    this.#maxBytes = maxBytes
  }

  /** Undefined until enough bytes have arrived. */
  get layout(): Layout | undefined {
    return this.#layout
  }

  /** The first row of a table as it is in the file; undefined for any other file. */
  get header(): string | undefined {
    return this.#splitter?.header
  }

  get waiting(): number {
    return this.#queue.bytes.length
  }

  /** The records that are now complete. The chunk may be reused. */
  push(chunk: Uint8Array | string): RawRecord[] {
    this.#queue.push(this.#utf8.push(chunk))
    return this.#split(false)
  }

  /** The remaining records. `chunk` is the last part of the file. */
  end(chunk?: Uint8Array | string): RawRecord[] {
    if (chunk !== undefined) this.#queue.push(this.#utf8.push(chunk), true)
    const lastBytes = this.#utf8.end()
    if (lastBytes.length > 0) this.#queue.push(lastBytes)
    return this.#split(true)
  }

  #split(ended: boolean): RawRecord[] {
    this.#layout ??= this.#detectLayout(ended)
    if (this.#layout === undefined || this.#layout === 'empty') return []
    this.#splitter ??= this.#splitterOf(this.#layout)
    return this.#splitter.split(ended)
  }

  /** Each attempt examines all waiting bytes, so it needs 10 % more bytes than the one before. */
  #detectLayout(ended: boolean): Layout | undefined {
    if (!ended && this.waiting < this.#examined * 1.1) return undefined
    this.#skipBlankLines()
    this.#examined = this.waiting
    return layoutOf(this.#queue.bytes, ended, this.#options)
  }

  /** Drops the byte order mark, which counts as no column, and the blank lines before the first record. */
  #skipBlankLines(): void {
    const { bytes, offset } = this.#queue
    const hasMark = offset === 0 && byteOrderMark.every((byte, index) => bytes[index] === byte)
    let skipped = hasMark ? byteOrderMark.length : 0
    for (let at = skipped; isSpace(bytes[at]); at++) {
      if (bytes[at] !== newline) continue
      this.#line++
      skipped = at + 1
    }
    this.#queue.consume(skipped)
  }

  #splitterOf(layout: Layout): Splitter {
    const options = { line: this.#line, maxBytes: this.#maxBytes }
    if (typeof layout === 'object') return splitTable(this.#queue, options, layout.separator, this.#options)
    if (layout === 'text') return splitText(this.#queue, options)
    return layout === 'lines' ? splitLines(this.#queue, options) : splitValues(this.#queue, options, layout === 'array')
  }
}

/** JSONL: each line that is not blank is a record, numbered by its line. The rest of a line that is too long is skipped. */
function splitLines(queue: ByteQueue, { line: firstLine, maxBytes }: SplitterOptions): Splitter {
  let line = firstLine
  // Waiting bytes without a line break, so that a long line is not searched again with each chunk.
  let searched = 0
  // Leading blanks of the line that were already consumed.
  let skipped = 0
  let isTooLong = false
  return {
    split(ended) {
      const records: RawRecord[] = []
      const { bytes, offset } = queue
      let at = 0
      if (isTooLong) {
        const end = bytes.indexOf(newline)
        isTooLong = end === -1
        at = isTooLong ? bytes.length : end + 1
      }
      while (at < bytes.length) {
        const lineStart = at - skipped
        for (; isSpace(bytes[at]) && bytes[at] !== newline; at++) skipped++
        const found = bytes.indexOf(newline, Math.max(at, searched))
        const end = found === -1 ? bytes.length : found
        const isOver = end - at > maxBytes
        if (found === -1 && !ended && !isOver) break
        let textEnd = end
        while (textEnd > at && isSpace(bytes[textEnd - 1])) textEnd--
        if (textEnd > at) {
          const read = isOver ? { text: '', error: tooLong(maxBytes) } : textOfBytes(bytes.subarray(at, textEnd))
          records.push({ record: line, offset: offset + at, line, column: at - lineStart + 1, ...read })
        }
        isTooLong = found === -1 && isOver
        skipped = 0
        line++
        at = end + 1
      }
      at = Math.min(at, bytes.length)
      queue.consume(at)
      searched = bytes.length - at
      return records
    },
  }
}

const comma = 0x2c
const closeBracket = 0x5d
const closeBrace = 0x7d

/** The number of bytes that an error message needs to show what was found. */
const shownBytes = 40

type Phase = 'open' | 'first' | 'value' | 'after' | 'next' | 'closed' | 'stopped'

/** The elements of the file's one array, or consecutive documents of one or more lines. Nothing is read after an error. */
function splitValues(queue: ByteQueue, { line: firstLine, maxBytes }: SplitterOptions, inArray: boolean): Splitter {
  const endOfValue = valueScanner()
  let phase: Phase = inArray ? 'open' : 'first'
  let record = 0
  let line = firstLine
  let column = 1
  let records: RawRecord[] = []

  const add = (at: number, read: Pick<RawRecord, 'text' | 'repaired' | 'error' | 'isCutOff' | 'isLast'>) => {
    records.push({ record: ++record, offset: queue.offset + at, line, column, ...read })
  }
  const stop = (at: number, error: string) => {
    add(at, { text: '', error, isLast: true })
    phase = 'stopped'
  }
  const stopAt = (bytes: Uint8Array, at: number, expected: string) =>
    stop(at, `${expected}, found ${foundAt(textOfBytes(bytes.subarray(at, at + shownBytes)).text, 0)}`)

  return {
    split(ended) {
      records = []
      const { bytes } = queue
      let at = 0
      while (at < bytes.length && phase !== 'stopped') {
        if (phase === 'value') {
          const found = endOfValue(bytes, at)
          const end = found === -1 ? bytes.length : found
          if (end - at > maxBytes) {
            stop(at, tooLong(maxBytes))
            break
          }
          if (found === -1 && !ended) break
          const read = textOfBytes(bytes.subarray(at, end))
          add(at, read)
          const { text } = read
          let lineStart = 0
          for (let found = text.indexOf('\n'); found !== -1; found = text.indexOf('\n', lineStart)) {
            line++
            lineStart = found + 1
          }
          column = lineStart === 0 ? column + text.length : text.length - lineStart + 1
          phase = inArray ? 'after' : 'first'
          at = end
          continue
        }
        const byte = bytes[at] as number
        if (!isSpace(byte)) {
          const next = inArray ? nextPhase(phase, byte) : isClosing(byte) ? { error: 'expected a value' } : 'value'
          if (typeof next === 'object') {
            if (!ended && bytes.length - at < shownBytes) break
            stopAt(bytes, at, next.error)
            break
          }
          phase = next
          if (phase === 'value') continue
        }
        at++
        column = byte === newline ? 1 : column + 1
        if (byte === newline) line++
      }
      if (ended && inArray && phase !== 'closed' && phase !== 'stopped') {
        add(at, { text: '', error: cutOffText('an array'), isCutOff: true, isLast: true })
        phase = 'stopped'
      }
      queue.consume(phase === 'stopped' ? bytes.length : at)
      return records
    },
  }
}

/** The phase after a byte of an array outside its elements; an error where the byte is not allowed. */
function nextPhase(phase: Phase, byte: number): Phase | { error: string } {
  if (phase === 'open') return 'first'
  if ((phase === 'first' || phase === 'after') && byte === closeBracket) return 'closed'
  if (phase === 'after') return byte === comma ? 'next' : { error: 'expected "," or "]"' }
  if (phase === 'closed') return { error: 'expected the end of the document' }
  if (!isClosing(byte)) return 'value'
  return { error: phase === 'first' ? 'expected a value' : 'expected another element; remove the comma before it' }
}

const isClosing = (byte: number): boolean => byte === comma || byte === closeBracket || byte === closeBrace

import { ByteQueue, isSpace, newline, Utf8Converter } from './bytes.js'
import { splitLines, splitValues } from './json-records.js'
import { type Layout, layoutOf } from './layout.js'
import type { RawRecord, Splitter } from './raw-record.js'
import { splitTable } from './table.js'

/** Half of the longest string that every runtime holds. */
const maxRecordBytes = 2 ** 28

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Cuts a file into records as its chunks arrive and holds only the incomplete record. */
export class RecordSplitter {
  readonly #queue = new ByteQueue()
  readonly #utf8 = new Utf8Converter()
  readonly #maxBytes: number
  #line = 1
  /** The number of bytes at the last attempt to detect the layout. */
  #examined = 0
  #layout: Layout | undefined
  #splitter: Splitter | undefined

  constructor(maxBytes = maxRecordBytes) {
    this.#maxBytes = maxBytes
  }

  /** Undefined until enough bytes have arrived. */
  get layout(): Layout | undefined {
    return this.#layout
  }

  /** The number of bytes that wait for the rest of their record. */
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
    const rest = this.#utf8.end()
    if (rest.length > 0) this.#queue.push(rest)
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
    return layoutOf(this.#queue.bytes, ended)
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
    if (typeof layout === 'object') return splitTable(this.#queue, options, layout.separator)
    return layout === 'lines' ? splitLines(this.#queue, options) : splitValues(this.#queue, options, layout === 'array')
  }
}

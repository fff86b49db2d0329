import { ByteQueue } from './bytes.js'
import { splitValues } from './json-records.js'
import { type Layout, layoutOf } from './layout.js'
import { splitLines } from './lines.js'
import { isSpace, newline, type RawRecord, type Splitter } from './raw-record.js'
import { splitTable } from './table.js'
import { Utf8 } from './utf8.js'

/** The most that one record may have, in bytes: half of the longest string that every runtime holds. */
const maxRecordBytes = 2 ** 28

const mark = [0xef, 0xbb, 0xbf]

/** Cuts a file into records as its parts come, without holding more than the record under way. */
export class RecordSplitter {
  readonly #queue = new ByteQueue()
  readonly #utf8 = new Utf8()
  readonly #most: number
  #line = 1
  /** How many bytes waited when their layout was last asked for. */
  #judged = 0
  #layout: Layout | undefined
  #splitter: Splitter | undefined

  constructor(most = maxRecordBytes) {
    this.#most = most
  }

  /** Undefined until enough has been seen. */
  get layout(): Layout | undefined {
    return this.#layout
  }

  /** How many bytes wait for the rest of their record. */
  get waiting(): number {
    return this.#queue.bytes.length
  }

  /** The records that are now complete. The chunk may be used again. */
  push(chunk: Uint8Array | string): RawRecord[] {
    this.#queue.push(this.#utf8.push(chunk))
    return this.#split(false)
  }

  /** The rest, when the file has ended, with its last part. */
  end(chunk?: Uint8Array | string): RawRecord[] {
    if (chunk !== undefined) this.#queue.push(this.#utf8.push(chunk), true)
    const rest = this.#utf8.end()
    if (rest.length > 0) this.#queue.push(rest)
    return this.#split(true)
  }

  #split(ended: boolean): RawRecord[] {
    if (this.#layout === undefined) {
      if (!this.#isWorthJudging(ended)) return []
      this.#layout = layoutOf(this.#queue.bytes, ended)
    }
    if (this.#layout === undefined || this.#layout === 'empty') return []
    this.#splitter ??= this.#splitterOf(this.#layout)
    return this.#splitter.split(ended)
  }

  /** All that waits is looked at each time, so that a little more of it is no reason to look again. */
  #isWorthJudging(ended: boolean): boolean {
    if (!ended && this.#queue.bytes.length < this.#judged * 1.1) return false
    this.#passBlankLines()
    this.#judged = this.#queue.bytes.length
    return true
  }

  /** What stands before the first record is not kept. A byte order mark is no column. */
  #passBlankLines(): void {
    const { bytes, offset } = this.#queue
    let passed = offset === 0 && mark.every((byte, index) => bytes[index] === byte) ? mark.length : 0
    for (let at = passed; isSpace(bytes[at]); at++) {
      if (bytes[at] !== newline) continue
      this.#line++
      passed = at + 1
    }
    this.#queue.take(passed)
  }

  #splitterOf(layout: Layout): Splitter {
    const start = { line: this.#line, most: this.#most }
    if (typeof layout === 'object') return splitTable(this.#queue, start, layout.separator)
    return layout === 'lines' ? splitLines(this.#queue, start) : splitValues(this.#queue, start, layout === 'array')
  }
}

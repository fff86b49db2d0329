/** A row of a CSV or TSV file. */
export interface CsvRow {
  cells: string[]
  /** The 1-based line on which it begins; a row may have several. */
  line: number
  /** Where it begins, in bytes of UTF-8 from the start of the file. */
  offset: number
}

/** What makes a CSV file unreadable, with the place at which it begins. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
  /** 1-based. */
  readonly line: number
  /** In bytes of UTF-8 from the start of the file. */
  readonly offset: number

  constructor(message: string, { line, offset }: Pick<CsvRow, 'line' | 'offset'>) {
    super(message)
    this.line = line
    this.offset = offset
  }
}

/** The most of one row, in UTF-16 code units: many times what a turn may hold. */
const maxRowLength = 2 ** 24
/** The most columns of a table; spreadsheets stop there too. */
const maxColumns = 2 ** 14

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Splits CSV (RFC 4180) into rows while the text arrives in pieces of any length. Lines may end in CRLF, LF or CR; blank
 * lines are skipped. A quote inside an unquoted cell is a character like any other.
 */
export class CsvParser {
  readonly #separator: number
  /** `closed` is after a quote that ends a cell, unless a second one follows. */
  #state: 'fresh' | 'plain' | 'quoted' | 'closed' = 'fresh'
  #cells: string[] = []
  #cell = ''
  /** Of the row so far. */
  #length = 0
  #line: number
  #offset: number
  /** Where the row and its last quoted cell begin. */
  #row: { line: number; offset: number }
  #opened: { line: number; offset: number }
  #afterReturn = false

  /**
   * @param separator one character, such as a comma or a tab
   * @param start where the text begins in the file
   */
  constructor(separator: string, start = { line: 1, offset: 0 }) {
    this.#separator = separator.charCodeAt(0)
    this.#line = start.line
    this.#offset = start.offset
    this.#row = start
    this.#opened = start
  }

  /**
   * The rows that are now complete. All have to be taken.
   *
   * @throws {CsvError} when a row is longer than `maxRowLength` or has more than `maxColumns` cells
   */
  *push(text: string): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const isLineEnd = code === lineFeed || code === carriageReturn
      if (this.#state === 'quoted' && code !== quote) {
        at = this.#take(text, at, (each) => each === quote)
        continue
      }
      if (this.#state === 'quoted') this.#state = 'closed'
      else if (code === quote && this.#state !== 'plain') {
        if (this.#state === 'closed') this.#cell += '"'
        else this.#opened = { line: this.#line, offset: this.#offset }
        this.#state = 'quoted'
      } else if (code === this.#separator) this.#endCell()
      else if (!isLineEnd) {
        this.#state = 'plain'
        this.#afterReturn = false
        at = this.#take(text, at, (each) => each === this.#separator || each === lineFeed || each === carriageReturn)
        continue
      }
      this.#offset++
      at++
      if (isLineEnd) {
        // The line feed of CRLF ends no other line.
        if (code === carriageReturn || !this.#afterReturn) yield* this.end()
        this.#row = { line: this.#line, offset: this.#offset }
      }
      this.#afterReturn = code === carriageReturn
    }
  }

  /**
   * The last row, where no line end follows it.
   *
   * @throws {CsvError} when a quote is never closed
   */
  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted') throw new CsvError('the quote that opens here is never closed', this.#opened)
    this.#line++
    this.#length = 0
    if (this.#state === 'fresh' && this.#cells.length === 0) return
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    yield { cells, ...this.#row }
  }

  /** Adds the text from an index to a character that ends it; gives where that stands. */
  #take(text: string, from: number, isEnd: (code: number) => boolean): number {
    let to = from
    for (; to < text.length && !isEnd(text.charCodeAt(to)); to++) {
      const code = text.charCodeAt(to)
      if (code === lineFeed) this.#line++
      // Half of a pair counts for 2 bytes.
      this.#offset += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
    }
    this.#cell += text.slice(from, to)
    this.#length += to - from
    if (this.#length > maxRowLength) {
      const isOpen = this.#state === 'quoted'
      const unclosed = isOpen ? '; the quote that opens here may not be closed' : ''
      const message = `a row is longer than ${maxRowLength} characters${unclosed}`
      throw new CsvError(message, isOpen ? this.#opened : this.#row)
    }
    return to
  }

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'fresh'
    if (this.#cells.length > maxColumns) throw new CsvError(`a row has more than ${maxColumns} cells`, this.#row)
  }
}

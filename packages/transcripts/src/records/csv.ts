interface CsvPosition {
  /** 1-based. */
  line: number
  /** In bytes of UTF-8 from the start of the file. */
  offset: number
}

/** A row of a CSV or TSV file, with the position at which it begins. */
export interface CsvRow extends CsvPosition {
  cells: string[]
}

/** An unreadable CSV file, with the position at which the error begins. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
  readonly line: number
  readonly offset: number

  constructor(message: string, { line, offset }: CsvPosition) {
    super(message)
    this.line = line
    this.offset = offset
  }
}

/** In UTF-16 code units: many times the size of a turn. */
const maxRowLength = 2 ** 24
/** The limit of spreadsheets. */
const maxColumns = 2 ** 14

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Splits CSV (RFC 4180) into rows while the text arrives in chunks of any length. Lines may end in CRLF, LF or CR; blank
 * lines are skipped. A quote inside an unquoted cell is an ordinary character.
 */
export class CsvParser {
  readonly #separator: number
  /** `closed` follows a quote that ends the cell, unless a second quote comes next. */
  #state: 'fresh' | 'plain' | 'quoted' | 'closed' = 'fresh'
  #cells: string[] = []
  #cell = ''
  #rowLength = 0
  #line: number
  #offset: number
  #rowStart: CsvPosition
  #quoteStart: CsvPosition
  #afterReturn = false

  /**
   * @param separator one character, such as a comma or a tab
   * @param start the position of the text in the file
   */
  constructor(separator: string, start: CsvPosition = { line: 1, offset: 0 }) {
    this.#separator = separator.charCodeAt(0)
    this.#line = start.line
    this.#offset = start.offset
    this.#rowStart = start
    this.#quoteStart = start
  }

  /**
   * The rows that are now complete. Read all of them before the next `push`.
   *
   * @throws {CsvError} when a row is longer than `maxRowLength` or has more than `maxColumns` cells
   */
  *push(text: string): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const isLineEnd = code === lineFeed || code === carriageReturn
      if (this.#state === 'quoted' && code !== quote) {
        at = this.#append(text, at, (each) => each === quote)
        continue
      }
      if (this.#state === 'quoted') this.#state = 'closed'
      else if (code === quote && this.#state !== 'plain') {
        if (this.#state === 'closed') this.#cell += '"'
        else this.#quoteStart = { line: this.#line, offset: this.#offset }
        this.#state = 'quoted'
      } else if (code === this.#separator) this.#endCell()
      else if (!isLineEnd) {
        this.#state = 'plain'
        this.#afterReturn = false
        at = this.#append(text, at, (each) => each === this.#separator || each === lineFeed || each === carriageReturn)
        continue
      }
      this.#offset++
      at++
      if (isLineEnd) {
        // The line feed of CRLF does not end another line.
        if (code === carriageReturn || !this.#afterReturn) yield* this.end()
        this.#rowStart = { line: this.#line, offset: this.#offset }
      }
      this.#afterReturn = code === carriageReturn
    }
  }

  /**
   * The last row, if no line end follows it.
   *
   * @throws {CsvError} when a quote is never closed
   */
  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted') throw new CsvError('the quote that opens here is never closed', this.#quoteStart)
    this.#line++
    this.#rowLength = 0
    if (this.#state === 'fresh' && this.#cells.length === 0) return
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    yield { cells, ...this.#rowStart }
  }

  /** Appends text to the cell up to a character that ends it; returns the index of that character. */
  #append(text: string, from: number, isEnd: (code: number) => boolean): number {
    let to = from
    for (; to < text.length && !isEnd(text.charCodeAt(to)); to++) {
      const code = text.charCodeAt(to)
      if (code === lineFeed) this.#line++
      // Each surrogate counts for 2 of the 4 bytes of its pair.
      this.#offset += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
    }
    this.#cell += text.slice(from, to)
    this.#rowLength += to - from
    if (this.#rowLength > maxRowLength) {
      const isQuoted = this.#state === 'quoted'
      const hint = isQuoted ? '; the quote that opens here may not be closed' : ''
      const start = isQuoted ? this.#quoteStart : this.#rowStart
      throw new CsvError(`a row is longer than ${maxRowLength} characters${hint}`, start)
    }
    return to
  }

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'fresh'
    if (this.#cells.length > maxColumns) throw new CsvError(`a row has more than ${maxColumns} cells`, this.#rowStart)
  }
}

import { type ByteQueue, textOfBytes } from './bytes.js'

interface CsvPosition {
  /** 1-based. */
  line: number
  /** In bytes of UTF-8 from the start of the file. */
  offset: number
}

/** A row of a CSV or TSV file, with the position at which it begins. */
export interface CsvRow extends CsvPosition {
  cells: string[]
  /** The row as it is in the file; empty if it is too long. */
  text: string
  /** It has bytes that are not UTF-8. */
  repaired?: true
  /**
   * The first mistake in the row; its cells may be wrong. Line and column are 1-based. `hidesMore`: a quote at the wrong place may
   * have joined it with the rows on the next lines.
   */
  flaw?: { message: string; line: number; column: number; hidesMore: boolean }
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

/** Many times the size of a turn. */
const maxRowBytes = 2 ** 24
/** The limit of spreadsheets. */
const maxColumns = 2 ** 14

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d
const backslash = 0x5c
const isBlank = (byte: number): boolean => byte === 32 || byte === 9

/** A cell as offsets from the start of its row, without its outer quotes. */
interface Span {
  start: number
  end: number
  /** A quote in it is doubled. */
  isQuoted: boolean
}

/** `closed` follows a quote that ends the cell, unless a second quote comes next; `after` follows blanks behind it. */
type State = 'fresh' | 'plain' | 'quoted' | 'closed' | 'after'

/** The row that is scanned now; all numbers are offsets from its start. */
interface OpenRow {
  at: number
  state: State
  cellStart: number
  /** The end of a quoted cell. */
  cellEnd: number
  cells: Span[]
  lines: number
  lineStart: number
  quoteAt: number
  quoteLine: number
  flaw: { at: number; line: number; lineStart: number } | undefined
}

const openRow = (): OpenRow => ({
  at: 0,
  state: 'fresh',
  cellStart: 0,
  cellEnd: 0,
  cells: [],
  lines: 0,
  lineStart: 0,
  quoteAt: 0,
  quoteLine: 0,
  flaw: undefined,
})

/**
 * Splits CSV (RFC 4180) into rows while its bytes arrive in chunks of any length. Lines may end in CRLF, LF or CR; blank
 * lines are skipped. A quote inside an unquoted cell is an ordinary character.
 */
export class CsvParser {
  readonly #separator: number
  readonly #separatorText: string
  readonly #escape: number
  readonly #escapeText: string
  #line: number
  #row = openRow()
  #afterReturn = false
  /** The beginning of a row that is too long, of which the rest is skipped. */
  #tooLongAt: (CsvPosition & { hidesMore: boolean }) | undefined

  /**
   * @param separator one ASCII character, such as a comma or a tab
   * @param line the line at which the bytes begin
   * @param escapedBy one ASCII character before quotes, separators, line ends and itself that have no meaning. Default: none
   */
  constructor(separator: string, line = 1, escapedBy = '') {
    this.#separator = separator.charCodeAt(0)
    this.#separatorText = separator
    // A doubled quote is an escape in each dialect.
    this.#escapeText = escapedBy === '"' ? '' : escapedBy.slice(0, 1)
    this.#escape = this.#escapeText === '' ? -1 : escapedBy.charCodeAt(0)
    this.#line = line
  }

  /**
   * The rows that are complete in the queue, each consumed when the next one is requested.
   *
   * A row that is longer than `maxRowBytes`, or has more than `maxColumns` cells, has a flaw and no cells.
   *
   * @throws {CsvError} when a quote is open at the end, or for `maxRowBytes`
   */
  *rows(queue: ByteQueue, ended: boolean): Generator<CsvRow> {
    const { bytes, offset } = queue
    let start = 0
    while (start < bytes.length) {
      // The line feed of CRLF does not end another line.
      if (this.#afterReturn) {
        this.#afterReturn = false
        if (bytes[start] === lineFeed) {
          start++
          continue
        }
      }
      if (this.#tooLongAt) {
        start = endOfLine(bytes, start)
        if (start === bytes.length && !ended) break
        yield this.#tooLongRow(this.#tooLongAt)
        this.#tooLongAt = undefined
        this.#afterReturn = bytes[start++] === carriageReturn
        continue
      }
      const length = this.#endOf(bytes, start)
      const end = length ?? bytes.length - start
      const position = { line: this.#line, offset: offset + start }
      if (end > maxRowBytes) {
        if (length === undefined && this.#row.state === 'quoted') throw this.#tooLong(position)
        this.#tooLongAt = { ...position, hidesMore: this.#row.lines > 0 }
        this.#line += this.#row.lines + 1
        this.#row = openRow()
        start += end
        continue
      }
      if (length === undefined && !ended) break
      if (this.#row.state === 'quoted')
        throw new CsvError('the quote that opens here is never closed', this.#quotePosition(position))
      const row = this.#rowIn(bytes.subarray(start, start + end), position)
      this.#afterReturn = bytes[start + end] === carriageReturn
      this.#line += this.#row.lines + 1
      this.#row = openRow()
      start += end + 1
      if (row) yield row
    }
    if (this.#tooLongAt && ended) {
      yield this.#tooLongRow(this.#tooLongAt)
      this.#tooLongAt = undefined
    }
    queue.consume(Math.min(start, bytes.length))
  }

  #tooLongRow({ line, offset, hidesMore }: CsvPosition & { hidesMore: boolean }): CsvRow {
    const message = `a row is longer than ${maxRowBytes} bytes`
    return { cells: [], text: '', line, offset, flaw: { message, line, column: 1, hidesMore } }
  }

  /** The length of the row at `start`, without its line end; undefined until it has arrived. */
  #endOf(bytes: Uint8Array, start: number): number | undefined {
    const row = this.#row
    const { length } = bytes
    const separator = this.#separator
    const escapeByte = this.#escape
    let { state } = row
    let at = start + row.at
    for (; at < length; at++) {
      const byte = bytes[at] as number
      if (byte === escapeByte && state !== 'closed' && state !== 'after') {
        // The escaped character must have arrived.
        if (at + 1 === length) break
        if (state === 'fresh') state = 'plain'
        at++
        if (bytes[at] === lineFeed) newLine(row, at + 1 - start)
      } else if (state === 'quoted') {
        if (byte === quote) {
          state = 'closed'
          row.cellEnd = at - start
        } else if (byte === lineFeed) newLine(row, at + 1 - start)
      } else if (byte === separator) {
        endCell(row, state, at - start)
        row.cellStart = at + 1 - start
        state = 'fresh'
      } else if (byte === lineFeed || byte === carriageReturn) {
        row.state = state
        return at - start
      } else if (state === 'plain') continue
      else if (byte === quote && state !== 'after') {
        if (state === 'fresh') {
          row.quoteAt = at - start
          row.quoteLine = row.lines
          row.cellStart = at + 1 - start
        }
        state = 'quoted'
      } else if (state === 'fresh') state = 'plain'
      else if (isBlank(byte)) state = 'after'
      else {
        row.flaw ??= { at: at - start, line: row.lines, lineStart: row.lineStart }
        state = 'plain'
      }
    }
    row.at = Math.min(at, length) - start
    row.state = state
    return undefined
  }

  /** Undefined for a blank line. */
  #rowIn(bytes: Uint8Array, { line, offset }: CsvPosition): CsvRow | undefined {
    const { state, cells: spans, flaw, quoteAt } = this.#row
    if (spans.length === 0 && bytes.length === 0) return undefined
    endCell(this.#row, state, bytes.length)
    if (spans.length > maxColumns) {
      const message = `a row has more than ${maxColumns} cells`
      return { cells: [], text: '', line, offset, flaw: { message, line, column: 1, hidesMore: false } }
    }
    const { text, repaired } = textOfBytes(bytes)
    // Offsets in bytes are those of the text if each character is one byte.
    const textIn =
      text.length === bytes.length
        ? (start: number, end: number) => text.slice(start, end)
        : (start: number, end: number) => textOfBytes(bytes.subarray(start, end)).text
    const cells = spans.map(({ start, end, isQuoted }) => this.#unescaped(textIn(start, end), isQuoted))
    const row: CsvRow = { cells, text, line, offset }
    if (repaired) row.repaired = true
    if (flaw) {
      const found = JSON.stringify(textIn(flaw.at, Math.min(bytes.length, flaw.at + 20)))
      const isEscaped = bytes[flaw.at - 2] === backslash || textIn(quoteAt, flaw.at).includes('\\"')
      const column = textIn(flaw.lineStart, flaw.at).length + 1
      row.flaw = {
        message: `${textAfterQuote(this.#separatorText, found)}${isEscaped ? escapeHint : ''}`,
        line: line + flaw.line,
        column,
        hidesMore: this.#row.lines > 0,
      }
    }
    return row
  }

  #unescaped(text: string, isQuoted: boolean): string {
    const escaping = this.#escapeText
    if (escaping === '') return isQuoted && text.includes('"') ? text.replaceAll('""', '"') : text
    if (!text.includes(escaping) && !text.includes('"')) return text
    let plain = ''
    for (let at = 0; at < text.length; at++) {
      const next = text[at + 1] ?? ''
      const isEscape =
        text[at] === escaping && (next === escaping || next === this.#separatorText || /["\r\n]/.test(next))
      if (isEscape || (isQuoted && text[at] === '"' && next === '"')) at++
      plain += text[at]
    }
    return plain
  }

  #tooLong(position: CsvPosition): CsvError {
    const message = `a row is longer than ${maxRowBytes} bytes; the quote that opens here may not be closed`
    return new CsvError(message, this.#quotePosition(position))
  }

  #quotePosition({ line, offset }: CsvPosition): CsvPosition {
    return { line: line + this.#row.quoteLine, offset: offset + this.#row.quoteAt }
  }
}

const textAfterQuote = (separator: string, found: string): string =>
  `expected ${JSON.stringify(separator)} or the end of the line after the closing quote, found ${found}; write a quote inside a quoted cell twice`

/** The advice for a row that may be of a dialect with backslashes. */
export const escapeHint = '. If a backslash escapes quotes in this file, name it with --csv-escape "\\\\"'

/** The index of the next line end; the length of the bytes if there is none. */
function endOfLine(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if (bytes[at] === lineFeed || bytes[at] === carriageReturn) return at
  return bytes.length
}

function newLine(row: OpenRow, start: number): void {
  row.lines++
  row.lineStart = start
}

function endCell(row: OpenRow, state: State, end: number): void {
  const isQuoted = state === 'closed' || state === 'after'
  row.cells.push({ start: row.cellStart, end: isQuoted ? row.cellEnd : end, isQuoted })
}

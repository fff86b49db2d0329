import { ByteQueue, textOfBytes } from './bytes.js'
import { mapColumns } from './columns.js'
import { CsvError, CsvParser, type CsvRow, escapeHint } from './csv.js'
import type { RawRecord, Splitter, SplitterOptions } from './raw-record.js'

/** A row of a table; `columns` is shared by its rows. A missing cell is empty. */
export class TableRow {
  readonly columns: ReadonlyMap<string, number>
  readonly cells: readonly string[]

  constructor(columns: ReadonlyMap<string, number>, cells: readonly string[]) {
    this.columns = columns
    this.cells = cells
  }

  cell(column: string | undefined): string {
    const at = column === undefined ? undefined : this.columns.get(column)
    return (at === undefined ? undefined : this.cells[at]) ?? ''
  }

  /** The cells by the names of their columns. */
  toJSON(): Record<string, string> {
    return Object.fromEntries([...this.columns.keys()].map((column) => [column, this.cell(column)]))
  }
}

/** The index of each column: names are trimmed; an empty one becomes `column 2`, a repeated one `name (2)`. */
function columnsOf(header: readonly string[]): Map<string, number> {
  const columns = new Map<string, number>()
  for (const [at, cell] of header.entries()) {
    const name = cell.trim() || `column ${at + 1}`
    let unique = name
    for (let count = 2; columns.has(unique); count++) unique = `${name} (${count})`
    columns.set(unique, at)
  }
  return columns
}

/** How a table is to be read, if not as its header says. */
export interface TableOptions {
  /** See `ReadOptions.columns`. */
  columns?: Record<string, string> | undefined
  /** See `ParseOptions.optionalColumns`. */
  optionalColumns?: Record<string, string> | undefined
  /** See `ReadOptions.csvEscape`. */
  csvEscape?: string | undefined
}

/** The rows of a CSV or TSV file after its header, each numbered by the line on which it begins. */
export function splitTable(
  queue: ByteQueue,
  { line }: SplitterOptions,
  separator: string,
  { csvEscape }: TableOptions,
): Splitter {
  const parser = new CsvParser(separator, line, csvEscape)
  let columns: Map<string, number> | undefined
  let header: string | undefined
  let isStopped = false
  const recordOf = (
    { cells, text: row, line, offset, repaired, flaw }: CsvRow,
    columns: Map<string, number>,
  ): RawRecord => {
    const place = { record: line, offset, line, column: 1, text: '', row }
    const message = flaw ? flaw.message : surplusIn(cells, columns.size, separator)
    if (message === undefined) return { ...place, value: new TableRow(columns, cells), repaired: repaired === true }
    const { line: at = line, column = 1, hidesMore = false } = flaw ?? {}
    return { ...place, line: at, column, error: message, hidesMore }
  }
  return {
    get header() {
      return header
    },
    split(ended) {
      const records: RawRecord[] = []
      try {
        for (const row of isStopped ? [] : parser.rows(queue, ended)) {
          if (columns !== undefined) records.push(recordOf(row, columns))
          else if (row.flaw && row.cells.length === 0) throw new CsvError(row.flaw.message, row)
          else if (!row.cells[0]?.startsWith('sep=')) {
            columns = columnsOf(row.cells)
            header = row.text
          }
        }
      } catch (error) {
        if (!(error instanceof CsvError)) throw error
        isStopped = true
        const { line, offset, message } = error
        records.push({ record: line, offset, line, column: 1, text: '', error: message, isLast: true })
      }
      if (isStopped) queue.consume(queue.bytes.length)
      return records
    },
  }
}

/** The problem of a row with more cells than the header. Spreadsheets write empty ones. */
function surplusIn(cells: readonly string[], columns: number, separator: string): string | undefined {
  if (cells.length <= columns || cells.slice(columns).every((cell) => cell.trim() === '')) return undefined
  const hint = cells.some((cell) => cell.endsWith('\\') || cell.includes('\\"')) ? escapeHint : ''
  const shown = JSON.stringify(separator)
  return `expected at most ${columns} cells, as in the header, found ${cells.length}; write a cell that contains ${shown} in quotes${hint}`
}

const separators = [',', '\t', ';', '|']
const sampledRows = 20

/**
 * The separator of a table with a header row, from the head of the file; undefined if the text does not look like a
 * table. Without two columns of a known name (see `mapColumns`) the rows must have as many cells as the header, but for a few that end
 * early. A first
 * line such as `sep=;`, which spreadsheets write, names the separator.
 */
export function separatorOf(head: Uint8Array, options: TableOptions = {}): string | undefined {
  const named = /^\s*sep=([,;\t|])\r?\n/.exec(textOfBytes(head.subarray(0, 64)).text)
  const [best] = (named?.[1] === undefined ? separators : [named[1]])
    .flatMap((separator) => tableIn(head.subarray(named?.[0].length ?? 0), separator, options) ?? [])
    .sort((a, b) => b.known - a.known || b.columns - a.columns)
  return best?.separator
}

function tableIn(head: Uint8Array, separator: string, options: TableOptions) {
  const [header, ...rows] = firstRows(head, separator, options)
  if (!header || header.cells.length < 2) return undefined
  const columns = header.cells.length
  const names = columnsOf(header.cells)
  // A chosen column that is not there is reported later.
  const countKnown = (chosen?: Record<string, string>) =>
    [...mapColumns([...names.keys()], chosen).values()].filter((name) => names.has(name)).length
  const known = Math.max(countKnown(), countKnown(options.columns), countKnown(options.optionalColumns))
  // JSON in a cell is no accident of a text.
  const isCertain = rows.length > 1 || rows.some((row) => row.cells.some(isJson))
  const isRegular = isCertain && rows.every((row) => row.cells.length <= columns) && mostAreWhole(rows, columns)
  const isHeader = isRegular && header.cells.every((cell) => cell === cell.trim() && isColumnName(cell))
  const isTable = known >= 2 ? header.cells.every((cell) => cell.length <= 64) : isHeader
  return isTable ? { separator, columns, known } : undefined
}

/** True if every row has as many cells as the header, or, of three columns and more, at least half of the rows have. */
function mostAreWhole(rows: readonly CsvRow[], columns: number): boolean {
  const whole = rows.filter(({ cells }) => cells.length === columns)
  return whole.length === rows.length || (columns > 2 && whole.length * 2 >= rows.length)
}

function firstRows(head: Uint8Array, separator: string, { csvEscape }: TableOptions): CsvRow[] {
  const queue = new ByteQueue()
  queue.push(head)
  const rows: CsvRow[] = []
  const parser = new CsvParser(separator, 1, csvEscape)
  const take = (ended: boolean): boolean => {
    try {
      for (const row of parser.rows(queue, ended)) if (rows.push(row) === sampledRows) break
      return true
    } catch (error) {
      if (error instanceof CsvError) return false
      throw error
    }
  }
  if (!take(false)) return []
  // Without a last line break, a short table ends in the middle of a row.
  if (rows.length < 3) take(true)
  return rows
}

const isJson = (cell: string) => /^\s*[[{]/.test(cell) && /[\]}]$/.test(cell.trimEnd())

/** An empty cell is a column without a name. */
function isColumnName(cell: string): boolean {
  return cell === '' || (cell.length <= 64 && /^\s*[\p{L}_][\p{L}\p{N}_ .()/#?-]*$/u.test(cell))
}

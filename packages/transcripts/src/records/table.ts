import type { ByteQueue } from './bytes.js'
import { knownColumns } from './columns.js'
import { CsvError, CsvParser, type CsvRow } from './csv.js'
import type { RawRecord, Splitter, Start } from './raw-record.js'

/** A row of a table as a record: what a format takes for one, and nothing else of a file can be. */
export class TableRow {
  /** The cells by the names of their columns, in the order of the header. A cell that is missing is empty; one too many is `column 7`. */
  readonly cells = new Map<string, string>()

  constructor(columns: readonly string[], cells: readonly string[]) {
    for (let at = 0; at < Math.max(columns.length, cells.length); at++) {
      this.cells.set(columns[at] ?? `column ${at + 1}`, cells[at] ?? '')
    }
  }
}

/** The names of a table's columns from its header: trimmed, those without one by their number, repeated ones marked. */
export function columnNames(header: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return header.map((cell, at) => {
    const name = cell.trim() || `column ${at + 1}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}

/** CSV and its kin: each row below the header is a record, numbered by the line on which it begins. */
export function splitTable(queue: ByteQueue, { line }: Start, separator: string): Splitter {
  const parser = new CsvParser(separator, { line, offset: queue.offset })
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const checker = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  let isUtf8 = true
  let columns: string[] | undefined
  let isBroken = false

  const pieceOf = ({ cells, line, offset }: CsvRow): RawRecord | undefined => {
    if (columns === undefined) {
      if (!cells[0]?.startsWith('sep=')) columns = columnNames(cells)
      return undefined
    }
    const piece: RawRecord = { record: line, offset, line, column: 1, text: '', value: new TableRow(columns, cells) }
    if (!isUtf8 && cells.some((cell) => cell.includes('\uFFFD'))) piece.repaired = true
    return piece
  }

  return {
    split(ended) {
      const { bytes } = queue
      queue.take(bytes.length)
      if (isBroken) return []
      try {
        checker.decode(bytes, { stream: !ended })
      } catch {
        isUtf8 = false
      }
      const pieces: (RawRecord | undefined)[] = []
      try {
        for (const row of parser.push(decoder.decode(bytes, { stream: !ended }))) pieces.push(pieceOf(row))
        if (ended) for (const row of parser.end()) pieces.push(pieceOf(row))
      } catch (error) {
        if (!(error instanceof CsvError)) throw error
        isBroken = true
        const { line, offset, message } = error
        pieces.push({ record: line, offset, line, column: 1, text: '', error: message })
      }
      return pieces.filter((piece) => piece !== undefined)
    },
  }
}

const separators = [',', '\t', ';', '|']
const sampled = 20

/**
 * The separator of a table with a header row, by the head of the file, whose last row may be cut; undefined if it does
 * not look like one. Without any column of a usual name (see `mapColumns`) it must be as regular as prose seldom is. A
 * first line such as `sep=;`, as spreadsheets write it, names the separator.
 */
export function separatorOf(head: string): string | undefined {
  const text = head.trimStart()
  const named = /^sep=([,;\t|])\r?\n/.exec(text)
  const [best] = (named?.[1] === undefined ? separators : [named[1]])
    .flatMap((separator) => readHead(text.slice(named?.[0].length ?? 0), separator) ?? [])
    .sort((a, b) => b.known - a.known || b.columns - a.columns)
  return best?.separator
}

function readHead(text: string, separator: string) {
  const [header, ...rows] = rowsOf(text, separator)
  if (!header || header.cells.length < 2 || !header.cells.every(isName)) return undefined
  const columns = header.cells.length
  const known = knownColumns(columnNames(header.cells))
  const isRegular = rows.length > 1 && rows.every((row) => row.cells.length === columns)
  const isTable = known >= 2 || (isRegular && header.cells.every((cell) => cell === cell.trim()))
  return isTable ? { separator, columns, known } : undefined
}

/** The first rows; one that the head cuts is left out. */
function rowsOf(text: string, separator: string): CsvRow[] {
  const parser = new CsvParser(separator)
  try {
    const rows = [...parser.push(text)]
    return rows.length > 0 ? rows.slice(0, sampled) : [...parser.end()]
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}

/** A column's name is short and begins with a letter, as few values do everywhere. */
function isName(cell: string): boolean {
  return cell.length <= 64 && /^\s*[\p{L}_][\p{L}\p{N}_ .()/#?-]*$/u.test(cell)
}

import { CsvError, CsvParser, type CsvRow } from './csv.js'
import { knownColumns } from './table-columns.js'
import { columnsOf } from './table-row.js'

/** What the head of a table tells. */
export interface SniffedTable {
  separator: string
  /** The names in the header row. */
  columns: string[]
}

const separators = [',', '\t', ';', '|']
const sampled = 20

/**
 * The columns and the separator of a table with a header row, by the head of the file; undefined if it does not look
 * like one. Without any column of a usual name (see `mapColumns`) it must be as regular as prose seldom is. A first line
 * such as `sep=;`, as spreadsheets write it, names the separator.
 *
 * @param head the first characters of the file, a few thousand; the last row may be cut
 */
export function sniffTable(head: string): SniffedTable | undefined {
  const text = head.replace(/^[\uFEFF\s]+/, '')
  if (text.startsWith('{') || text.startsWith('[')) return undefined
  const named = /^sep=([,;\t|])\r?\n/.exec(text)
  const ranked = (named?.[1] === undefined ? separators : [named[1]])
    .map((separator) => readHead(text.slice(named?.[0].length ?? 0), separator))
    .filter((table) => table !== undefined)
    .sort((a, b) => b.known - a.known || b.columns.length - a.columns.length)
  return ranked[0] && { separator: ranked[0].separator, columns: ranked[0].columns }
}

function readHead(text: string, separator: string): (SniffedTable & { known: number }) | undefined {
  const [header, ...rows] = rowsOf(text, separator)
  if (!header || header.cells.length < 2 || !header.cells.every(isName)) return undefined
  const columns = columnsOf(header.cells)
  const known = knownColumns(columns)
  const regular = rows.filter((row) => row.cells.length === columns.length).length
  if (known >= 2) return { separator, columns, known }
  const isTable = rows.length > 1 && regular === rows.length && header.cells.every((cell) => cell === cell.trim())
  return isTable ? { separator, columns, known } : undefined
}

/** The first rows; one that the head cuts is left out. */
function rowsOf(text: string, separator: string): CsvRow[] {
  const parser = new CsvParser(separator)
  try {
    const rows = parser.push(text)
    return (rows.length > 0 ? rows : parser.end()).slice(0, sampled)
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}

/** A column's name is short and begins with a letter, as few values do everywhere. */
function isName(cell: string): boolean {
  return cell.length <= 64 && /^\s*[\p{L}_][\p{L}\p{N}_ .()/#?-]*$/u.test(cell)
}

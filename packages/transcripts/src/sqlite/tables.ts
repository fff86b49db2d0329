import { isObject, type JsonObject } from '../json/index.js'
import type { Database } from './library.js'

/** The values of the columns of a row; those of bytes and texts are texts. */
export type Row = Readonly<Record<string, unknown>>

const decoder = new TextDecoder()

/** libsql gives a buffer, and Node a view of one. */
const isBytes = (value: unknown): value is ArrayBuffer | Uint8Array =>
  value instanceof ArrayBuffer || ArrayBuffer.isView(value)

/** The names of the columns of a table; none if there is no such table. */
export const columnsOf = (database: Database, table: string): string[] =>
  database
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .flatMap((column) => (isObject(column) && typeof column.name === 'string' ? [column.name] : []))

/** The rows of a table. `rest`: the clauses behind its name, with `?` for each value. */
export function rowsOf(database: Database, table: string, rest: string, ...values: string[]): Row[] {
  // libsql cuts a text at a zero byte, and ends the process at one that is not UTF-8.
  const columns = columnsOf(database, table).map((name) => {
    const column = `"${table}"."${name.replaceAll('"', '""')}"`
    return `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END AS "${name.replaceAll('"', '""')}"`
  })
  const rows = database.prepare(`SELECT ${columns.join(', ')} FROM "${table}" ${rest}`).all(...values)
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row as JsonObject).map(([name, value]) => [name, isBytes(value) ? decoder.decode(value) : value]),
    ),
  )
}

import type { Connection } from './data-library.js'

/** A row of the records. */
export interface Row {
  /** Its place in the order in which ids were first written. */
  seq: number
  table: string
  /** JSON. */
  id: string
  seal: string
  /** JSON, in UTF-8. */
  value: Uint8Array
}

/**
 * One text column of every row that a statement gives. Text is read as bytes all through: what was damaged may be no
 * UTF-8, and some libraries end the process over that.
 */
export function texts(connection: Connection, column: string, from: string): string[] {
  const read = connection.prepare(`SELECT ${asBytes(column)} FROM ${from}`).all() as Record<string, Bytes>[]
  return read.map((row) => textOf(row[column]))
}

/** Every row in order, one at a time: values may be large, and no cursor is left open. */
export function* rows(connection: Connection): Generator<Row> {
  const columns = ['tbl', 'id', 'seal', 'value'].map(asBytes).join()
  const next = connection.prepare(`SELECT seq, ${columns} FROM records WHERE seq > ? ORDER BY seq LIMIT 1`)
  for (let after = 0; ; ) {
    const [row] = next.all(after) as RawRow[]
    if (!row) return
    after = row.seq
    const { tbl, id, seal, value } = row
    yield { seq: after, table: textOf(tbl), id: textOf(id), seal: textOf(seal), value: bytesOf(value) }
  }
}

/** Bytes as either library gives them; none where a value is not what it was. */
type Bytes = Uint8Array | ArrayBuffer | null | undefined

interface RawRow {
  seq: number
  tbl: Bytes
  id: Bytes
  seal: Bytes
  value: Bytes
}

const asBytes = (column: string) => `CAST(${column} AS BLOB) AS ${column}`

function bytesOf(bytes: Bytes): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes ?? [])
}

/** The text of bytes in UTF-8. */
export const textOf = (bytes: Bytes): string => decoder.decode(bytesOf(bytes))

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

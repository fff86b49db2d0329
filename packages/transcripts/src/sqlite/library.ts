import { ContainerError } from '../container-limits.js'

/** An open database: the part of `node:sqlite` that `libsql` has, too. */
export interface Database {
  prepare(sql: string): { all(...values: string[]): unknown[] }
  close(): void
}

/** A function that opens a database to read it. The log beside the file counts, so that the program may go on writing. */
export type OpenDatabase = (path: string) => Database

interface NodeSqlite {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database
}

/** Load `node:sqlite` if Node has it, else `libsql`. */
export async function loadSqlite(): Promise<OpenDatabase> {
  const sqlite = nodeSqlite()
  if (sqlite) return (file) => new sqlite.DatabaseSync(file, { readOnly: true })
  try {
    const { default: Libsql } = await import('libsql')
    return (file) => new Libsql(file, { readonly: true })
  } catch {
    throw new ContainerError(
      'the database needs SQLite: this version of Node has none, and libsql cannot be loaded. Use Node 22.13 or newer, or run: npm install libsql',
    )
  }
}

function nodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process
  // Some versions of Node warn that their SQLite is experimental; a user can do nothing about it.
  process.emitWarning = () => {}
  try {
    // Bundlers would rewrite an `import` of `node:sqlite` to `sqlite`, which does not exist.
    return process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

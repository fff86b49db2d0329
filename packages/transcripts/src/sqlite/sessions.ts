import { ContainerError } from '../container-limits.js'
import { type Database, loadSqlite } from './library.js'
import { type Product, products, type SessionFacts } from './products.js'
import { columnsOf } from './tables.js'

/** A session in a database. */
export interface SqliteSession {
  /** The name of a file with it, such as `ses_1.json`. */
  member: string
  /** The facts that a list of sessions shows. */
  session: SessionFacts
  /** Its content for `parseStream`, read at each call. */
  chunks(): string[]
}

/**
 * The sessions with messages in a database of opencode, Cursor or Hermes, the newest first. Needs `node:sqlite` (Node 22.13 and later)
 * or the optional peer `libsql`. The database is opened to be read only, once for the list and for each reading of a session; what
 * its program has not yet written from its log into the file is read, too.
 *
 * @returns undefined for any other file
 * @throws {ContainerError} if there is no SQLite library, or if the file cannot be read
 */
export async function sqliteSessions(path: string): Promise<SqliteSession[] | undefined> {
  const open = await loadSqlite()
  const read = <Value>(use: (database: Database) => Value): Value | undefined => {
    let database: Database | undefined
    try {
      database = open(path)
      return use(database)
    } catch (error) {
      if (isNoDatabase(error)) return undefined
      throw new ContainerError(`the database cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      database?.close()
    }
  }
  const found = read((database) => {
    const product = products.find((each) => hasTables(database, each))
    return product && { product, sessions: product.sessions(database) }
  })
  return found?.sessions.map((facts) => ({
    member: `${facts.id}.json`,
    session: facts,
    chunks: () => {
      const session = read((database) => found.product.session(database, facts.id))
      if (!session) throw new ContainerError(`the database no longer holds the session ${facts.id}`)
      return [JSON.stringify(session)]
    },
  }))
}

/** True for the result code NOTADB, which both libraries name in their own field. */
function isNoDatabase(error: unknown): boolean {
  const { errcode, rawCode = errcode } = error as { errcode?: number; rawCode?: number }
  return rawCode === 26
}

const hasTables = (database: Database, { tables }: Product): boolean =>
  Object.entries(tables).every(([table, needed]) => {
    const columns = new Set(columnsOf(database, table))
    return needed.every((column) => columns.has(column))
  })

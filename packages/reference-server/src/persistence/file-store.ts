import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Change, type Store, type Table, tables } from '../world/index.js'
import {
  type Connect,
  type Connection,
  environmentErrors,
  errorLine,
  resultCode,
  type Statement,
  StoreError,
} from './sqlite.js'

/** `svcw`: says that a database is a world of this server. */
const applicationId = 0x73766377

/** The version of the tables: one for each kind of record, with ids and values in JSON. */
const schemaVersion = 2

const damaged = (file: string, what: string, cause?: unknown) =>
  new StoreError('damaged', dirname(file), `${file} is damaged: ${what}.`, {
    hint: `Put a copy of ${dirname(file)} in its place, or remove ${file} and ${file}-journal to start anew.`,
    cause,
  })

/** Opens the world in a file and checks all of it; where there is no file, creates an empty world. */
export function openDatabase(connect: Connect, file: string, unlock: () => void): FileStore {
  const journal = `${file}-journal`
  if (!existsSync(file)) {
    if (existsSync(journal) && statSync(journal).size > 0) throw damaged(file, 'its journal is there, and it is not')
    create(connect, file)
  }
  const connection = connect(file)
  try {
    check(connection, file)
    configure(connection)
    // A file that cannot be written is found now, and not by the first upload.
    connection.exec('BEGIN IMMEDIATE; ROLLBACK')
    const store = new FileStore(file, connection, unlock)
    for (const _ of store.load());
    return store
  } catch (error) {
    connection.close()
    if (error instanceof StoreError) throw error
    const machine = environmentErrors[resultCode(error) ?? 0]
    if (!machine) throw damaged(file, errorLine(error), error)
    const message = `${file} cannot be read: ${errorLine(error)} (${machine}).`
    throw new StoreError('unusable', dirname(file), message, { cause: error })
  }
}

/** Creates the file with no record in it; it is there whole or not at all. */
function create(connect: Connect, file: string): void {
  const draft = `${file}.new`
  for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true })
  const connection = connect(draft)
  try {
    chmodSync(draft, 0o600)
    const made = tables.map((table) => `CREATE TABLE ${table} (id TEXT PRIMARY KEY, value TEXT NOT NULL);`).join(' ')
    connection.exec(`BEGIN; ${made}
      PRAGMA application_id=${applicationId}; PRAGMA user_version=${schemaVersion}; COMMIT`)
  } finally {
    connection.close()
  }
  renameSync(draft, file)
}

function check(connection: Connection, file: string): void {
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] as object)[0]
  if (pragma('application_id') !== applicationId) throw damaged(file, 'it is no world of this server')
  const version = pragma('user_version')
  if (version !== schemaVersion) {
    const message = `${file} is of version ${version}; this server reads ${schemaVersion}.`
    const [reason, needed] =
      version > schemaVersion ? (['newer', 'a newer'] as const) : (['unusable', 'an older'] as const)
    throw new StoreError(reason, dirname(file), message, {
      hint: `Use ${needed} version of the server, or another folder.`,
    })
  }
  const [verdict] = connection.prepare(`SELECT ${asBytes('integrity_check')} FROM pragma_integrity_check`).all()
  const text = textOf((verdict as { integrity_check: Bytes }).integrity_check)
  if (text !== 'ok') throw damaged(file, `its check says: ${text.replaceAll('\n', ' ')}`)
}

/**
 * Makes what is committed outlive the process, whatever ends it. The system is not asked to bring each write to the disk at
 * once: `docs/decisions/a-world-in-a-folder.md` says what that leaves to a loss of power.
 */
function configure(connection: Connection): void {
  for (const setting of ['busy_timeout=1000', 'journal_mode=TRUNCATE', 'synchronous=OFF'])
    connection.prepare(`PRAGMA ${setting}`).all()
}

type Statements = Readonly<Record<Table, { keep: Statement; remove: Statement }>>

/** A world in one file, a table for each kind of record. */
export class FileStore implements Store {
  readonly #file: string
  readonly #connection: Connection
  readonly #unlock: () => void
  readonly #statements: Statements
  #closed = false

  constructor(file: string, connection: Connection, unlock: () => void) {
    this.#file = file
    this.#connection = connection
    this.#unlock = unlock
    const statementsOf = (table: Table) => ({
      keep: connection.prepare(
        `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      ),
      remove: connection.prepare(`DELETE FROM ${table} WHERE id = ?`),
    })
    this.#statements = Object.fromEntries(tables.map((table) => [table, statementsOf(table)])) as Statements
  }

  *load(): Generator<Change> {
    for (const table of tables) {
      const query = `SELECT ${asBytes('id')}, ${asBytes('value')} FROM ${table} ORDER BY rowid`
      for (const row of this.#connection.prepare(query).all() as { id: Bytes; value: Bytes }[]) {
        const id = textOf(row.id)
        try {
          yield { table, id: JSON.parse(id), value: JSON.parse(textOf(row.value)) }
        } catch (cause) {
          if (cause instanceof SyntaxError) throw damaged(this.#file, `the record ${id} of ${table} is not JSON`, cause)
          throw cause
        }
      }
    }
  }

  write(changes: readonly Change[]): void {
    if (changes.length > 0) this.#commit(changes, [])
  }

  replace(changes: readonly Change[]): void {
    this.#commit(changes, tables)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    try {
      this.#connection.close()
      flush(this.#file)
    } catch (cause) {
      throw this.#notWritten(errorLine(cause), cause)
    } finally {
      this.#unlock()
    }
  }

  #commit(changes: readonly Change[], emptied: readonly Table[]): void {
    if (this.#closed) throw this.#notWritten('it is closed')
    const steps = changes.map((change) => ({ ...this.#statements[change.table], ...textsOf(change) }))
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
      for (const table of emptied) this.#connection.exec(`DELETE FROM ${table}`)
      for (const { keep, remove, id, value } of steps) value === null ? remove.run(id) : keep.run(id, value)
      this.#connection.exec('COMMIT')
    } catch (cause) {
      this.#rollBack()
      throw this.#notWritten(errorLine(cause), cause)
    }
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself, or refuses every later statement.
    }
  }

  #notWritten(why: string, cause?: unknown) {
    return new StoreError('not_written', dirname(this.#file), `${this.#file} was not written: ${why}.`, { cause })
  }
}

function textsOf({ table, id, value }: Change): { id: string; value: string | null } {
  const text = value === null ? null : (JSON.stringify(value) as string | undefined)
  if (text === undefined) throw new TypeError(`The value of ${table} ${id} is nothing that JSON can hold.`)
  return { id: JSON.stringify(id), value: text }
}

/** Waits until the disk has the file. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Bytes as either library gives them. */
type Bytes = Uint8Array | ArrayBuffer

/** Text is read as bytes: damage can leave a text that is no UTF-8, and some libraries end the process over that. */
const asBytes = (column: string) => `CAST(${column} AS BLOB) AS ${column}`

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const textOf = (bytes: Bytes): string => decoder.decode(bytes)

import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Change, type Store, type Table, tables } from '../world/index.js'
import { type Connect, type Connection, errorLine, isEnvironmentError, type Statement, StoreError } from './sqlite.js'

/** `svcw`: marks a database as a world of this server. */
const applicationId = 0x73766377

/** The version of the tables: one for each kind of record, with ids and values in JSON. */
const schemaVersion = 2

const damaged = (file: string, problem: string, cause?: unknown) =>
  new StoreError('damaged', dirname(file), `${file} is damaged: ${problem}.`, {
    hint: `Restore a copy of ${dirname(file)}, or remove ${file} and ${file}-journal to start with an empty world.`,
    cause,
  })

/** Open the world in a file and check all of it. A missing file is created. */
export function openFile(connect: Connect, file: string, unlock: () => void): Store {
  const journal = `${file}-journal`
  if (!existsSync(file)) {
    if (existsSync(journal) && statSync(journal).size > 0)
      throw damaged(file, 'the file is missing, but not its journal')
    create(connect, file)
  }
  const connection = connect(file)
  try {
    check(connection, file)
    // Committed writes survive the end of the process; `docs/decisions/sqlite-world.md` covers a loss of power.
    for (const setting of ['busy_timeout=1000', 'journal_mode=TRUNCATE', 'synchronous=OFF'])
      connection.prepare(`PRAGMA ${setting}`).all()
    // Fails now, and not at the first upload, if the file cannot be written.
    connection.exec('BEGIN IMMEDIATE; ROLLBACK')
    const store = new FileStore(file, connection, unlock)
    for (const _ of store.load());
    return store
  } catch (error) {
    connection.close()
    if (error instanceof StoreError) throw error
    if (!isEnvironmentError(error)) throw damaged(file, errorLine(error), error)
    throw new StoreError('unusable', dirname(file), `Cannot read ${file}: ${errorLine(error)}.`, { cause: error })
  }
}

/** Create an empty world. A rename makes it appear complete or not at all. */
function create(connect: Connect, file: string): void {
  const temporary = `${file}.new`
  for (const leftover of [temporary, `${temporary}-journal`]) rmSync(leftover, { force: true })
  const connection = connect(temporary)
  try {
    chmodSync(temporary, 0o600)
    const statements = tables.map((table) => `CREATE TABLE ${table} (id TEXT PRIMARY KEY, value TEXT NOT NULL);`)
    connection.exec(`BEGIN; ${statements.join(' ')}
      PRAGMA application_id=${applicationId}; PRAGMA user_version=${schemaVersion}; COMMIT`)
  } finally {
    connection.close()
  }
  renameSync(temporary, file)
}

function check(connection: Connection, file: string): void {
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] as object)[0]
  if (pragma('application_id') !== applicationId) throw damaged(file, 'it is no world of this server')
  const version = pragma('user_version')
  if (version !== schemaVersion) {
    const isNewer = version > schemaVersion
    const message = `${file} is of version ${version}; this server reads ${schemaVersion}.`
    const hint = `Use ${isNewer ? 'a newer' : 'an older'} version of the server, or another folder.`
    throw new StoreError(isNewer ? 'newer' : 'unusable', dirname(file), message, { hint })
  }
  const [result] = connection.prepare(`SELECT ${asBytes('integrity_check')} FROM pragma_integrity_check`).all()
  const text = decodedText((result as { integrity_check: Bytes }).integrity_check)
  if (text !== 'ok') throw damaged(file, `the integrity check reports ${text.replaceAll('\n', ' ')}`)
}

type Statements = Readonly<Record<Table, { upsert: Statement; remove: Statement }>>

class FileStore implements Store {
  readonly #file: string
  readonly #connection: Connection
  readonly #unlock: () => void
  readonly #statements: Statements
  #isClosed = false

  constructor(file: string, connection: Connection, unlock: () => void) {
    this.#file = file
    this.#connection = connection
    this.#unlock = unlock
    const statementsOf = (table: Table) => ({
      upsert: connection.prepare(
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
        const id = decodedText(row.id)
        try {
          yield { table, id: JSON.parse(id), value: JSON.parse(decodedText(row.value)) }
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
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      this.#connection.close()
      flush(this.#file)
    } catch (cause) {
      throw this.#notWritten(cause)
    } finally {
      this.#unlock()
    }
  }

  #commit(changes: readonly Change[], cleared: readonly Table[]): void {
    if (this.#isClosed) throw this.#notWritten('it is closed')
    const rows = changes.map((change) => ({ ...this.#statements[change.table], ...toJson(change) }))
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
      for (const table of cleared) this.#connection.exec(`DELETE FROM ${table}`)
      for (const { upsert, remove, id, value } of rows) value === null ? remove.run(id) : upsert.run(id, value)
      this.#connection.exec('COMMIT')
    } catch (cause) {
      try {
        this.#connection.exec('ROLLBACK')
      } catch {
        // SQLite has rolled back itself, or refuses every later statement.
      }
      throw this.#notWritten(cause)
    }
  }

  #notWritten(cause: unknown) {
    return new StoreError('not_written', dirname(this.#file), `Cannot write ${this.#file}: ${errorLine(cause)}.`, {
      cause,
    })
  }
}

function toJson({ table, id, value }: Change): { id: string; value: string | null } {
  const json = value === null ? null : (JSON.stringify(value) as string | undefined)
  if (json === undefined) throw new TypeError(`The value of ${table} ${id} cannot be written as JSON.`)
  return { id: JSON.stringify(id), value: json }
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

type Bytes = Uint8Array | ArrayBuffer

/** Damaged text may be invalid UTF-8, on which some libraries crash; it is read as bytes. */
const asBytes = (column: string) => `CAST(${column} AS BLOB) AS ${column}`

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const decodedText = (bytes: Bytes): string => decoder.decode(bytes)

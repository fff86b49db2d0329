import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from './data-error.js'
import { type Connect, type Connection, closeConnection } from './data-library.js'
import { sealText } from './data-seal.js'

/** `svcw`: says that a database is a world of this server. */
const applicationId = 0x73766377

/** The version of the tables below. */
const schemaVersion = 1

/** The tables, word for word as SQLite keeps them. `seq` is the order in which ids were first written; ids and values are JSON. */
export const tables = {
  records: 'CREATE TABLE records (seq INTEGER PRIMARY KEY, tbl TEXT, id TEXT, seal TEXT, value TEXT)',
  total: 'CREATE TABLE total (seal TEXT)',
} as const

/** What is said on top of every kind of damage. */
export const damaged = (file: string, what: string, cause?: unknown) =>
  new StoreError('damaged', dirname(file), `${file} is damaged: ${what}.`, {
    hint: `Put a copy of ${dirname(file)} in its place, or remove ${file} and ${file}-journal to start anew.`,
    cause,
  })

/**
 * Opens the file so that what is committed outlives the process, whatever ends it. The system is not asked to bring
 * each write to the disk at once: `docs/decisions/a-world-in-a-folder.md` says what that leaves to a loss of power.
 */
export function connectTo(connect: Connect, file: string): Connection {
  const connection = connect(file)
  try {
    for (const setting of ['busy_timeout=1000', 'journal_mode=TRUNCATE', 'synchronous=OFF', 'cell_size_check=ON'])
      connection.prepare(`PRAGMA ${setting}`).all()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Makes the file with no record in it; it is there whole or not at all. */
export function createFile(connect: Connect, file: string): void {
  const draft = `${file}.new`
  for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true })
  const connection = connectTo(connect, draft)
  try {
    chmodSync(draft, 0o600)
    connection.exec(`BEGIN; ${tables.records}; ${tables.total};
      INSERT INTO total VALUES ('0 ${sealText(0n)}');
      PRAGMA application_id=${applicationId}; PRAGMA user_version=${schemaVersion}; COMMIT`)
  } finally {
    closeConnection(connection)
  }
  rmSync(`${draft}-journal`, { force: true })
  flush(draft)
  renameSync(draft, file)
}

/** Waits until the disk has the file. */
export function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Looks at the head of the file before SQLite does: whether it is a world, and one of this version. */
export function checkHead(file: string): void {
  if (!existsSync(file)) throw damaged(file, 'its journal is there, and it is not')
  const head = Buffer.alloc(100)
  const descriptor = openSync(file, 'r')
  const length = readSync(descriptor, head)
  closeSync(descriptor)
  if (length < head.length) throw damaged(file, `it ends after ${length} bytes`)
  if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged(file, 'it is no SQLite database')
  if (head.readUInt32BE(68) !== applicationId) throw damaged(file, 'it is a database, and no world of this server')
  const version = head.readUInt32BE(60)
  if (version > schemaVersion) {
    const message = `${file} is of version ${version}; this server reads ${schemaVersion}.`
    const hint = 'Use a newer version of the server, or another folder.'
    throw new StoreError('newer', dirname(file), message, { hint })
  }
  // Another way of writing, or text that is not UTF-8: this server makes neither, and SQLite would change the file.
  const asMade = version === schemaVersion && head[18] === 1 && head[19] === 1 && head.readUInt32BE(56) === 1
  if (!asMade) throw damaged(file, 'its head (the first 100 bytes) is not as this server writes it')
}

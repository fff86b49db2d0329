import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Store } from '../world/index.js'
import { openDatabase } from './file-store.js'
import { type Connect, errorLine, loadLibrary, resultCode, StoreError } from './sqlite.js'

/**
 * Opens the world that is kept in a folder, or makes an empty one. Needs Node, and uses its `node:sqlite` where there is
 * one, else the optional peer `libsql`; both read and write the same file. The folder is this server's alone until
 * `close`, or until its process has ended. SQLite checks the file, and every record is read. Rejects with a StoreError: there
 * is no library, the folder cannot be used or is in use, or what is in it is damaged or of another version.
 */
export async function openStore(folder: string): Promise<Store> {
  const place = resolve(folder)
  const connect = await loadLibrary(place)
  try {
    // Keys are kept in clear.
    mkdirSync(place, { recursive: true, mode: 0o700 })
    accessSync(place, constants.R_OK | constants.W_OK)
    // SQLite opens a file that it may not write without a word, and fails at the first write.
    for (const name of ['world.lock', 'world.db', 'world.db-journal']) {
      const path = join(place, name)
      if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    }
  } catch (error) {
    throw unusable(place, error)
  }
  const unlock = lockFolder(connect, place)
  try {
    return openDatabase(connect, join(place, 'world.db'), unlock)
  } catch (error) {
    unlock()
    throw error instanceof StoreError ? error : unusable(place, error)
  }
}

const unusable = (place: string, cause: unknown) =>
  new StoreError('unusable', place, `${place} cannot be used: ${errorLine(cause)}.`, {
    hint: 'Choose a folder that can be made, read and written.',
    cause,
  })

const name = Symbol.for('@svc/reference-server/data')
const shared = globalThis as { [name]?: Set<string> }

/** The folders that this process has, one set for all copies of this module in it. */
const held = shared[name] ?? new Set<string>()
shared[name] = held

/**
 * Takes a folder by an exclusive transaction on an empty database beside the data, which is never written to: SQLite
 * holds a lock of the operating system as long as it is open, and the kernel gives that up with the process. Returns what
 * releases the folder.
 */
function lockFolder(connect: Connect, folder: string): () => void {
  // Locks of the operating system are a process's; two libraries in one process would not see each other's.
  const place = realpathSync(folder)
  if (held.has(place)) throw inUse(folder)
  const file = join(folder, 'world.lock')
  let connection: ReturnType<Connect> | undefined
  try {
    connection = connect(file)
    connection.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    connection?.close()
    if (resultCode(cause) === 5) throw inUse(folder, cause)
    throw new StoreError('unusable', folder, `${file} cannot be locked: ${errorLine(cause)}.`, { cause })
  }
  const lock = connection
  held.add(place)
  return () => {
    if (!held.delete(place)) return
    lock.exec('ROLLBACK')
    lock.close()
  }
}

const inUse = (folder: string, cause?: unknown) =>
  new StoreError('in_use', folder, `Another server is using ${folder}.`, {
    hint: 'Stop it, or choose another folder.',
    cause,
  })

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Store } from '../world/index.js'
import { openFile } from './file-store.js'
import { type Connect, errorLine, loadLibrary, resultCode, StoreError } from './sqlite.js'

/**
 * Open the world in a folder, or create an empty one. Needs Node; it uses `node:sqlite`, or the optional peer `libsql` on a
 * Node without it. No other server can open the folder until `close`, or the end of the process. Every record is read and the
 * file is checked. Rejects with a `StoreError`.
 */
export async function openStore(folder: string): Promise<Store> {
  const path = resolve(folder)
  const connect = await loadLibrary(path)
  try {
    // Keys are stored in clear.
    mkdirSync(path, { recursive: true, mode: 0o700 })
    // SQLite opens a read-only file, and fails at the first write.
    for (const name of ['', 'world.lock', 'world.db', 'world.db-journal']) {
      const file = join(path, name)
      if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
    }
  } catch (error) {
    throw unusable(path, error)
  }
  const unlock = lockFolder(connect, path)
  try {
    return openFile(connect, join(path, 'world.db'), unlock)
  } catch (error) {
    unlock()
    throw error instanceof StoreError ? error : unusable(path, error)
  }
}

const unusable = (folder: string, cause: unknown) =>
  new StoreError('unusable', folder, `Cannot use ${folder}: ${errorLine(cause)}.`, {
    hint: 'Choose a folder that can be created, read and written.',
    cause,
  })

/**
 * Lock a folder with an exclusive transaction on an empty database; the operating system ends the lock with the process.
 * Returns a function that unlocks it.
 */
function lockFolder(connect: Connect, folder: string): () => void {
  const file = join(folder, 'world.lock')
  let connection: ReturnType<Connect> | undefined
  try {
    connection = connect(file)
    connection.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    connection?.close()
    if (resultCode(cause) === 5) {
      const hint = 'Stop it, or choose another folder.'
      throw new StoreError('in_use', folder, `Another server is using ${folder}.`, { hint, cause })
    }
    throw new StoreError('unusable', folder, `Cannot lock ${file}: ${errorLine(cause)}.`, { cause })
  }
  const lock = connection
  let isLocked = true
  return () => {
    if (!isLocked) return
    isLocked = false
    lock.exec('ROLLBACK')
    lock.close()
  }
}

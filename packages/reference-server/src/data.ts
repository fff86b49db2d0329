import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StoreError, type StoreFailure, said } from './data-error.js'
import { loadLibrary } from './data-library.js'
import { lockFolder } from './data-lock.js'
import { openFile } from './data-store.js'
import type { Change, Store } from './store.js'

export { type Change, type Store, StoreError, type StoreFailure }

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
  const lock = lockFolder(connect, place)
  try {
    return openFile(connect, join(place, 'world.db'), lock)
  } catch (error) {
    lock.release()
    throw error instanceof StoreError ? error : unusable(place, error)
  }
}

const unusable = (place: string, cause: unknown) =>
  new StoreError('unusable', place, `${place} cannot be used: ${said(cause)}.`, {
    hint: 'Choose a folder that can be made, read and written.',
    cause,
  })

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { StoreError, said } from './data-error.js'
import { type Connect, resultCode } from './data-library.js'

/** The folder is this server's until it is released, or its process has ended in whatever way. */
export interface Lock {
  release(): void
}

const name = Symbol.for('@svc/reference-server/data')
const shared = globalThis as { [name]?: Set<string> }

/** The folders that this process has, one set for all copies of this module in it. */
const held = shared[name] ?? new Set<string>()
shared[name] = held

/**
 * Takes a folder by an exclusive transaction on an empty database beside the data, which is never written to: SQLite
 * holds a lock of the operating system as long as it is open, and the kernel gives that up with the process.
 */
export function lockFolder(connect: Connect, folder: string): Lock {
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
    throw new StoreError('unusable', folder, `${file} cannot be locked: ${said(cause)}.`, { cause })
  }
  const lock = connection
  held.add(place)
  return {
    release() {
      if (!held.delete(place)) return
      lock.exec('ROLLBACK')
      lock.close()
    },
  }
}

const inUse = (folder: string, cause?: unknown) =>
  new StoreError('in_use', folder, `Another server is using ${folder}.`, {
    hint: 'Stop it, or choose another folder.',
    cause,
  })

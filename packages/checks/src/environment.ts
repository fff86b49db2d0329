import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname, resolve } from 'node:path'
import process, { env } from 'node:process'
import type { Disk } from './disk.js'
import type { Files } from './files.js'

export const nodeFiles: Files = {
  resolve: (path) => resolve(path),
  isThere: existsSync,
  isNamed,
  realPath: realpath,
  async readFile(path, { isPlain = false } = {}) {
    const facts = statSync(path)
    // To open a pipe would wait for its writer.
    if (isPlain && !facts.isFile() && !facts.isDirectory())
      throw Object.assign(new Error(path), { code: 'it is a device or a pipe, not a file' })
    return readFile(path)
  },
}

/** True if a folder has this name, also for a link to nothing, or if that cannot be known. */
export function isNamed(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

/** The disk of the machine. */
export const nodeDisk: Disk = {
  place: async (path) => resolve(path),
  makeFolder,
  list: (folder) => readdirSync(folder),
  readText: (path) => readFileSync(path, 'utf8'),
  create: (path, text, { flush = false } = {}) => writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush }),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  facts(path) {
    const facts = statSync(path, { throwIfNoEntry: false })
    return (
      facts && {
        isFolder: facts.isDirectory(),
        size: facts.size,
        changedAt: facts.mtimeMs,
        // Windows has no such bits.
        isOpen: platform() !== 'win32' && (facts.mode & 0o077) !== 0,
      }
    )
  },
  makePrivate: (path) => chmodSync(path, 0o600),
}

/** `mkdir` with `recursive` does not end in folders such as `/proc` that allow no new ones. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

export const randomId = (): string => randomUUID()

/** The variables of the process for code in a thread, without the options of Node. */
export function environmentOfCode(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...others } = env
  return others
}

/** Call back for each error of this thread that no code catches, before its handlers. */
export const onUncaught = (listener: (error: unknown) => void): void =>
  void process.prependListener('uncaughtExceptionMonitor', listener)

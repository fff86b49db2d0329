import { basename, dirname, join } from 'node:path'
import type { BulkEnvironment, Disk } from '@svc/bulk'
import { claim, hasEnded, ownerMark, removeQuietly, writeAll } from '@svc/bulk/node'
import type { Clock } from '@svc/client'

export interface WriteOptions {
  /** For this user alone (0600). Default: false, the mode of the replaced file or of the process. */
  isPrivate?: boolean
}

/** The content of a file, part by part. If a part throws, nothing is written. */
export type Parts = Iterable<string> | AsyncIterable<string>

/** A private file (0600) in the system's temporary folder. It is removed when it is closed. */
export interface TemporaryFile {
  append(text: string): Promise<void>
  read(): AsyncIterable<string>
  close(): Promise<void>
}

/** The place that a write goes to, behind links. */
export interface WriteTarget {
  place: string
  /** A device, a pipe or an open file: it is written to directly and not replaced. */
  isThrough: boolean
  /** The permission bits of the existing file. */
  mode?: number
}

/** The names of files as a process knows them, and what is a file but not on a disk. */
export interface Places {
  /** The absolute path. */
  resolve(path: string): string
  /** The place that a write to a path goes to. A link at the path is followed only if `mayReplace` (default: true). */
  writeTarget(path: string, mayReplace?: boolean): Promise<WriteTarget>
  /** Write to a device, a pipe or an open file. */
  writeThrough(place: string, parts: AsyncIterable<string>): Promise<void>
  /** Rejects with the system's error code if a device, a pipe or an open file cannot be written. */
  tryThrough(place: string): Promise<void>
}

/** All that the files of a command are written with. */
export interface FileEnvironment extends BulkEnvironment {
  clock: Required<Clock>
  places: Places
  /** The folder for temporary files. */
  temporary: string
  /** Ends the wait for a lock, with its reason. */
  signal: AbortSignal
}

/** The files that a command writes. Paths are relative to its folder. */
export interface WrittenFiles {
  /** Write a file whole or not at all. Rejects with EEXIST if the file exists and `mayReplace` is false. */
  writeFile(path: string, parts: Parts, mayReplace: boolean, options?: WriteOptions): Promise<void>
  /** Write a private file (0600) whole or not at all. Creates its folders (0700). */
  writePrivate(path: string, text: string): Promise<void>
  /** For output that is held back: see `Spool`. */
  makeTemporary(): Promise<TemporaryFile>
  /** Rejects with the system's error code if `writeFile` could write nothing, as on a full disk. */
  tryWrite(path: string): Promise<void>
  /** Remove a file, following links. Devices and pipes stay. */
  removeFile(path: string): Promise<void>
  /** Append to a file. Creates it if missing. */
  appendFile(path: string, text: string): Promise<void>
  /** Create a folder and its parents. */
  makeFolder(path: string): Promise<void>
  /**
   * Lock a file for a change by this process; resolves with the function that releases it. Waits for other processes; rejects
   * with the code EBUSY if they hold it for ten seconds, or with the reason of the signal.
   */
  lock(path: string): Promise<() => void>
}

/** Joins small parts, because each write is a call of the system. */
async function* chunksOf(parts: Parts): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

const chunkLength = 256 * 1024

/** The longest wait for a file that other processes change, in milliseconds. */
const longestWaitMs = 10_000

/** The files that a command writes, on a disk. */
export function filesOn(environment: FileEnvironment): WrittenFiles {
  const { disk, host, clock, randomId, turn, places, temporary, signal } = environment
  const { resolve, writeTarget } = places

  /**
   * Write a draft and rename it, so that nobody sees half of it. Links are followed; devices and pipes are written to
   * directly. Rejects with the system's error code, or with a reason as its `code`: a link in a sticky folder that others can
   * write to is not followed, because another user may have created it.
   */
  async function writeFile(
    path: string,
    parts: Parts,
    mayReplace: boolean,
    { isPrivate = false }: WriteOptions = {},
  ): Promise<void> {
    const { place, isThrough, mode = 0o666 } = await writeTarget(path, mayReplace)
    if (isThrough) return places.writeThrough(place, chunksOf(parts))
    const folder = dirname(place)
    removeLeftDrafts(folder, basename(place))
    const draft = join(folder, `.${basename(place)}.${ownerMark(host)}.${randomId()}`)
    try {
      await writeSynced(draft, parts, isPrivate ? 0o600 : mode)
      if (mayReplace) disk.rename(draft, place)
      else putNew(disk, draft, place)
      disk.syncFolder(folder)
    } finally {
      removeQuietly(disk, draft)
    }
  }

  async function writeSynced(path: string, parts: Parts, permissions: number): Promise<void> {
    const file = disk.open(path, 'new', permissions)
    try {
      for await (const chunk of chunksOf(parts)) {
        writeAll(file, Buffer.from(chunk))
        await turn()
      }
      await file.sync()
    } finally {
      file.close()
    }
  }

  /** Remove the drafts of a file that killed processes left. */
  function removeLeftDrafts(folder: string, name: string): void {
    const start = `.${name}.`
    for (const each of namesIn(disk, folder)) {
      const [mark = '', id, ...more] = each.startsWith(start) ? each.slice(start.length).split('.') : []
      if (id !== undefined && more.length === 0 && hasEnded(mark, host)) removeQuietly(disk, join(folder, each))
    }
  }

  /** Write a block and remove it. A missing folder counts as its nearest existing parent. */
  async function tryBlockIn(folder: string): Promise<void> {
    const draft = join(folder, `.svc.${randomId()}`)
    try {
      await writeSynced(draft, ['x'.repeat(4096)], 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
      return tryBlockIn(dirname(folder))
    } finally {
      removeQuietly(disk, draft)
    }
  }

  async function makeTemporary(): Promise<TemporaryFile> {
    const path = join(temporary, `svc-${randomId()}`)
    const file = disk.open(path, 'new')
    // Windows cannot remove an open file, so there it is removed on close.
    removeQuietly(disk, path)
    return {
      append: async (text) => writeAll(file, Buffer.from(text)),
      async *read() {
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
        const buffer = new Uint8Array(chunkLength)
        for (let at = 0; ; ) {
          const length = file.read(buffer, 0, buffer.length, at)
          if (length === 0) return
          at += length
          yield decoder.decode(buffer.subarray(0, length), { stream: true })
        }
      },
      async close() {
        file.close()
        removeQuietly(disk, path)
      },
    }
  }

  async function lock(path: string): Promise<() => void> {
    const { place } = await writeTarget(path)
    const [folder, ledger] = [dirname(place), basename(place)]
    disk.makeFolder(folder)
    for (const until = clock.monotonic() + longestWaitMs; ; ) {
      signal.throwIfAborted()
      const at = new Date(clock.now()).toISOString()
      const claimed = await claim(folder, ledger, { ledger, at }, environment)
      if ('release' in claimed) return claimed.release
      if (clock.monotonic() > until) {
        const { pid, host, at, file } = claimed
        throw Object.assign(new Error(`pid ${pid} on ${host}, since ${at}`), { code: 'EBUSY', path: file })
      }
      // Jitter avoids repeated collisions.
      await new Promise<void>((resume) => clock.after(5 + clock.random() * 45, resume))
    }
  }

  return {
    writeFile,
    async writePrivate(path, text) {
      disk.makeFolder(dirname(resolve(path)))
      await writeFile(path, [text], true, { isPrivate: true })
    },
    makeTemporary,
    async tryWrite(path) {
      const { place, isThrough } = await writeTarget(path)
      await (isThrough ? places.tryThrough(place) : tryBlockIn(dirname(place)))
    },
    async removeFile(path) {
      const { place, isThrough } = await writeTarget(path)
      if (!isThrough) disk.remove(place)
    },
    async appendFile(path, text) {
      const { place, isThrough } = await writeTarget(path)
      if (isThrough) return places.writeThrough(place, chunksOf([text]))
      const file = disk.open(place, 'append', 0o666)
      try {
        writeAll(file, Buffer.from(text))
      } finally {
        file.close()
      }
    },
    makeFolder: async (path) => disk.makeFolder(resolve(path), 0o777),
    lock,
  }
}

/** A folder that may be written but not read shows no names. */
function namesIn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder)
  } catch {
    return []
  }
}

/** Unlike a rename, a hard link never replaces a file. Not every file system has them. */
function putNew(disk: Disk, draft: string, path: string): void {
  try {
    disk.link(draft, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EEXIST', 'ENOENT', 'EIO', 'ENOSPC', 'EDQUOT', 'EROFS'].includes(code)) throw error
    disk.rename(draft, path)
  }
}

import { close, fdatasync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** A file that only grows, line by line. */
export interface Journal {
  /**
   * Resolves when the lines are on disk; lines that are added meanwhile share one sync. Rejected, they are not written,
   * but where the sync failed, after which nobody knows.
   */
  appendSynced(lines: readonly string[]): Promise<void>
  /**
   * Writes a line later, and syncs it with what is synced next. Kept for another attempt where it cannot be written.
   */
  append(line: string): void
  /** Writes what was noted before it returns, best effort: it is not lost with the process, but may be with the machine. */
  write(): void
  /** Resolves when everything noted is on disk. */
  sync(): Promise<void>
  /** Closes the file, after a sync. */
  close(): Promise<void>
}

interface QueuedLine {
  line: string
  /** Kept for a later attempt where it cannot be written; else whoever added it is told, and does not count on it. */
  isNote: boolean
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

const syncData = promisify(fdatasync)
const closeFile = promisify(close)

/*
 * What holds between any two turns of the loop:
 * - `open.length` bytes of the file are whole lines; `queue` holds, in order, the lines that are not among them.
 * - Whoever waits is in one of three places: in `waiting` while lines of theirs, or notes before them, are in `queue`; in
 *   `written` when all of it is in the file and no sync has begun since; else in the batch that `work` is syncing. A
 *   failed write rejects `waiting` and drops their lines; it does not concern the others.
 * - Somebody waits only while `isWorking`. Notes alone are written by `later`, or by `work` when its sync has ended.
 * - Once `lost`, the file may hold anything: nothing is written or synced again, and all who wait are rejected.
 */

/** Does something later, unless what it gives is called before. */
export type Later = (act: () => void) => () => void

const atNextTurn: Later = (act) => {
  const immediate = setImmediate(act)
  return () => clearImmediate(immediate)
}

/** An open file of so many bytes, all of them whole lines. */
export interface OpenFile {
  fd: number
  length: number
}

/** A journal on an open file, or on one that is created with its first lines; `later` notes are written. */
export function createJournal(file: OpenFile | ((first: Buffer) => OpenFile), later: Later = atNextTurn): Journal {
  let open = typeof file === 'function' ? undefined : file
  let queue: QueuedLine[] = []
  let waiting: Waiting[] = []
  let written: Waiting[] = []
  let isWorking = false
  let isSyncing = false
  let cancelDue: (() => void) | undefined
  let lost: { cause: unknown } | undefined

  /** Writes all of the queue or nothing; told of a failure are those who wait. A note is tried again with the next lines. */
  function write(): void {
    cancelDue?.()
    cancelDue = undefined
    try {
      if (lost) throw lost.cause
      if (queue.length > 0) writeBytes(Buffer.from(`${queue.map(({ line }) => line).join('\n')}\n`))
      queue = []
      written.push(...waiting)
    } catch (error) {
      queue = queue.filter(({ isNote }) => isNote)
      for (const { reject } of waiting) reject(error)
    }
    waiting = []
  }

  /** Half a line with others behind it would make the file unreadable. */
  function writeBytes(bytes: Buffer): void {
    if (!open) {
      if (typeof file === 'function') open = file(bytes)
      return
    }
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(open.fd, bytes, at)
    } catch (error) {
      try {
        ftruncateSync(open.fd, open.length)
      } catch {
        lost = { cause: error }
      }
      throw error
    }
    open.length += bytes.length
  }

  /** What a failed sync has left of the file nobody knows, so that nothing is written after it. */
  async function sync(): Promise<void> {
    if (lost) throw lost.cause
    if (!open) return
    isSyncing = true
    try {
      await syncData(open.fd)
    } catch (error) {
      lost = { cause: error }
      throw error
    } finally {
      isSyncing = false
    }
  }

  async function work(): Promise<void> {
    while (waiting.length > 0 || written.length > 0) {
      write()
      const batch = written
      written = []
      if (batch.length === 0) continue
      try {
        await sync()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWorking = false
    if (queue.length > 0) write()
  }

  function appendSynced(lines: readonly string[]): Promise<void> {
    for (const line of lines) queue.push({ line, isNote: false })
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (isWorking) return
      isWorking = true
      // What is added in the same turn of the loop shares the sync.
      queueMicrotask(() => void work())
    })
  }

  return {
    appendSynced,
    append(line) {
      queue.push({ line, isNote: true })
      // A write to a file that is being synced holds the whole process up until that is done.
      if (!isSyncing) cancelDue ??= later(write)
    },
    write,
    sync: () => appendSynced([]),
    async close() {
      try {
        await appendSynced([])
      } finally {
        cancelDue?.()
        if (open) await closeFile(open.fd)
      }
    },
  }
}

/** Where the whole lines of a file end, in bytes. */
export function endOfLines(fd: number, size: number, chunkBytes = 1 << 16): number {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - chunkBytes)
    const at = chunk.subarray(0, readSync(fd, chunk, 0, to - from, from)).lastIndexOf(10)
    if (at !== -1) return from + at + 1
    to = from
  }
  return 0
}

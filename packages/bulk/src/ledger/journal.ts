import { type DiskFile, writeAll } from '../environment/index.js'

/** A file to which whole lines are appended. */
export type Journal = ReturnType<typeof createJournal>

interface QueuedLine {
  line: string
  /** Tried again after a failed write; other lines are dropped and their caller gets the error. */
  isKept: boolean
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/*
 * Invariants between two turns of the event loop:
 * - The first `open.length` bytes of the file are whole lines. `queue` holds the lines after them, in order.
 * - A waiting caller is in `waiting` while its lines are in `queue`, in `written` until the next sync begins, else in the
 *   batch that `work` syncs. A failed write rejects the callers in `waiting` and drops their lines.
 * - Callers wait only while `isWorking`. Kept lines alone are written by `later`, or by `work` after its sync.
 * - Once `lost` is set, the content of the file is unknown: all callers are rejected, nothing is written or synced.
 */

/** Schedule a call; the returned function cancels it. */
export type Later = (act: () => void) => () => void

/** An open file whose `length` bytes are whole lines. */
export interface OpenFile {
  file: DiskFile
  length: number
}

/** A journal on an open file, or on one that is created with its first lines. `later` schedules writes without a sync. */
export function createJournal(target: OpenFile | ((first: Buffer) => OpenFile), later: Later) {
  // One function: the invariants above hold of these variables together.
  let open = typeof target === 'function' ? undefined : target
  let queue: QueuedLine[] = []
  let waiting: Waiting[] = []
  let written: Waiting[] = []
  let isWorking = false
  let isSyncing = false
  let cancelDue: (() => void) | undefined
  let lost: { cause: unknown } | undefined

  /** Write all of the queue or nothing, before it returns, without a sync. A failure is ignored: the next write tries again. */
  function write(): void {
    cancelDue?.()
    cancelDue = undefined
    try {
      if (lost) throw lost.cause
      if (queue.length > 0) writeBytes(Buffer.from(`${queue.map(({ line }) => line).join('\n')}\n`))
      queue = []
      written.push(...waiting)
    } catch (error) {
      queue = queue.filter(({ isKept }) => isKept)
      for (const { reject } of waiting) reject(error)
    }
    waiting = []
  }

  /** Truncates after a failure: lines after half a line would make the file unreadable. */
  function writeBytes(bytes: Buffer): void {
    if (!open) {
      if (typeof target === 'function') open = target(bytes)
      return
    }
    try {
      writeAll(open.file, bytes)
    } catch (error) {
      try {
        open.file.truncate(open.length)
      } catch {
        lost = { cause: error }
      }
      throw error
    }
    open.length += bytes.length
  }

  async function sync(): Promise<void> {
    if (lost) throw lost.cause
    if (!open) return
    isSyncing = true
    try {
      await open.file.sync()
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

  /**
   * Resolves when the lines are synced to disk. Lines that are added meanwhile share one sync. If it rejects, the lines were
   * not written, except after a failed sync: then the content of the file is unknown.
   */
  function appendSynced(lines: readonly string[]): Promise<void> {
    for (const line of lines) queue.push({ line, isKept: false })
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (isWorking) return
      isWorking = true
      // Lines that are added in the same turn of the event loop share the sync.
      queueMicrotask(() => void work())
    })
  }

  return {
    appendSynced,
    /** Write a line later, and sync it with the next sync. If the write fails, it is tried again with the next one. */
    append(line: string): void {
      queue.push({ line, isKept: true })
      // A write to a file that is being synced would block the process until the sync ends.
      if (!isSyncing) cancelDue ??= later(write)
    },
    write,
    /** Resolves when all lines are synced to disk. */
    sync: (): Promise<void> => appendSynced([]),
    /** Close the file, after a sync. */
    async close(): Promise<void> {
      try {
        await appendSynced([])
      } finally {
        cancelDue?.()
        open?.file.close()
      }
    },
  }
}

/** The length of the whole lines of a file, in bytes. */
export function endOfLines(file: DiskFile, size: number, chunkBytes = 1 << 16): number {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - chunkBytes)
    const at = chunk.subarray(0, readWhole(file, chunk, from, to)).lastIndexOf(10)
    if (at !== -1) return from + at + 1
    to = from
  }
  return 0
}

/** Read into a buffer. The system may read less at once than it is asked for. Returns the number of bytes. */
function readWhole(file: DiskFile, buffer: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; ) {
    const read = file.read(buffer, at - from, to - at, at)
    if (read === 0) return at - from
    at += read
  }
  return to - from
}

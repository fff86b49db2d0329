import { close, fdatasync, ftruncateSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** A file that only grows, line by line. */
export interface Journal {
  /** Resolves when the lines are on disk; lines that are added meanwhile share one sync. Rejected, they are not written. */
  add(lines: readonly string[]): Promise<void>
  /** Writes a line soon, and syncs it with what is synced next. Kept for a later attempt where it cannot be written. */
  note(line: string): void
  /** Writes a line before it returns: it is not lost with the process, though it may be with the machine. Best effort. */
  noteNow(line: string): void
  /** Resolves when everything noted is on disk. */
  sync(): Promise<void>
  /** Closes the file, after a sync. */
  close(): Promise<void>
}

interface Entry {
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

/** A journal on an open file of so many bytes, all of them whole lines. */
export function createJournal(fd: number, size: number): Journal {
  let queue: Entry[] = []
  let waiting: Waiting[] = []
  let isWorking = false
  let isSyncing = false
  let due: NodeJS.Immediate | undefined
  let lost: { cause: unknown } | undefined
  let length = size

  /** All of it or nothing: half a line with others behind it would make the file unreadable. */
  function write(): void {
    if (due) clearImmediate(due)
    due = undefined
    if (lost) throw lost.cause
    if (queue.length === 0) return
    const bytes = Buffer.from(`${queue.map(({ line }) => line).join('\n')}\n`)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } catch (error) {
      queue = queue.filter(({ isNote }) => isNote)
      const unwritten = waiting
      waiting = []
      for (const { reject } of unwritten) reject(error)
      try {
        ftruncateSync(fd, length)
      } catch {
        lost = { cause: error }
      }
      throw error
    }
    length += bytes.length
    queue = []
  }

  /** What a failed sync has left of the file nobody knows, so that nothing is written after it. */
  async function sync(): Promise<void> {
    isSyncing = true
    try {
      await syncData(fd)
    } catch (error) {
      lost = { cause: error }
      throw error
    } finally {
      isSyncing = false
    }
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        write()
        await sync()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWorking = false
    if (queue.length > 0) tryToWrite()
  }

  function add(lines: readonly string[]): Promise<void> {
    for (const line of lines) queue.push({ line, isNote: false })
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (isWorking) return
      isWorking = true
      // What is added in the same turn of the loop shares the sync.
      queueMicrotask(() => void work())
    })
  }

  function tryToWrite(): void {
    try {
      write()
    } catch {
      // Tried again with the next lines, and told by the sync at the end.
    }
  }

  return {
    add,
    note(line) {
      queue.push({ line, isNote: true })
      // A write to a file that is being synced holds the whole process up until that is done.
      if (!isSyncing) due ??= setImmediate(tryToWrite)
    },
    noteNow(line) {
      queue.push({ line, isNote: true })
      tryToWrite()
    },
    sync: () => add([]),
    async close() {
      try {
        await add([])
      } finally {
        if (due) clearImmediate(due)
        await closeFile(fd)
      }
    },
  }
}

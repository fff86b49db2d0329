import { close, fdatasync, ftruncateSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** A file that only grows, line by line. */
export interface Journal {
  /** Resolves when the lines are on disk; lines that are added meanwhile share one sync. Rejected, they are not written. */
  add(lines: readonly string[]): Promise<void>
  /** Writes a line soon, and syncs it with what is synced next. Kept for a later attempt where it cannot be written. */
  note(line: string): void
  /** Resolves when everything noted is on disk. */
  sync(): Promise<void>
  /** Closes the file, after a sync. */
  close(): Promise<void>
}

interface Waiting {
  lines: readonly string[]
  resolve(): void
  reject(error: unknown): void
}

const syncData = promisify(fdatasync)
const closeFile = promisify(close)

/** A journal on an open file of so many bytes, all of them whole lines. */
export function createJournal(fd: number, size: number): Journal {
  let notes: string[] = []
  let waiting: Waiting[] = []
  let isWorking = false
  let due: NodeJS.Immediate | undefined
  let lost: { cause: unknown } | undefined
  let length = size

  /** All of it or nothing: half a line with others behind it would make the file unreadable. */
  function write(lines: readonly string[]): void {
    if (lost) throw lost.cause
    if (lines.length === 0) return
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      length += bytes.length
    } catch (error) {
      try {
        ftruncateSync(fd, length)
      } catch {
        lost = { cause: error }
      }
      throw error
    }
  }

  function writeNotes(): void {
    if (due) clearImmediate(due)
    due = undefined
    write(notes)
    notes = []
  }

  /** What a failed sync has left of the file nobody knows, so that nothing is written after it. */
  async function syncAll(): Promise<void> {
    try {
      await syncData(fd)
    } catch (error) {
      lost = { cause: error }
      throw error
    }
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        writeNotes()
        write(batch.flatMap(({ lines }) => lines))
        await syncAll()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWorking = false
  }

  function add(lines: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ lines, resolve, reject })
      if (isWorking) return
      isWorking = true
      // What is added in the same turn of the loop shares the sync.
      queueMicrotask(() => void work())
    })
  }

  return {
    add,
    note(line) {
      notes.push(line)
      due ??= setImmediate(() => {
        try {
          writeNotes()
        } catch {
          // Tried again with the next lines, and told by the sync at the end.
          due = undefined
        }
      })
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

import { dirname } from 'node:path'
import { BulkError } from '../bulk-error.js'
import type { BulkEnvironment, Disk, DiskFile } from '../environment/index.js'
import { environmentOf, type GivenEnvironment } from '../environment-of.js'
import type { Shard } from '../shard.js'
import { createEntryStates, replayFiles, type UnresolvedEntry } from './entry-states.js'
import { type ClosingEvent, type Intent, type LedgerEvent, type NewEvent, schema } from './events.js'
import { cannotOpen, cannotRebuild, cannotWrite, noFolder } from './failure.js'
import { type Checkpoint, draftOf, fileOf, stemOf } from './files.js'
import { normalTarget, type Target } from './identity.js'
import { createJournal, endOfLines, type Journal, type OpenFile } from './journal.js'
import { lock } from './lock.js'

/** A write-ahead log of the uploads to one project, on disk. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>

export interface LedgerOptions extends GivenEnvironment {
  /** Created if missing. */
  folder: string | undefined
  target: Target
  shard?: Shard | undefined
  /** Refuse a ledger that lacks uploads which a rebuild that has not ended has found. */
  isForUpload?: boolean
  /** Files of the target that lost their entries: not read, and that of this ledger is replaced. */
  emptied?: readonly string[]
  /** Write into a copy of the ledger, which takes its place as a whole with `publish`. Default: into the ledger. */
  rebuilds?: boolean
  /** Awaited now and then while the files are read; its rejection ends the opening. */
  checkpoint?: Checkpoint | undefined
}

/** How long an event may wait to be written with others, in milliseconds. */
const noteMs = 5

/** The time of an intent counts as the time of sending for this long. */
const freshMs = 500

/**
 * Open the ledger of a target for writing, after reading all files of that target in the folder.
 *
 * @throws {BulkError} if it cannot be read or written, or another process writes it
 */
export async function openLedger(options: LedgerOptions) {
  // One function: all that writes shares the lock, the journal and the states.
  const { folder, target, shard, emptied, rebuilds = false, checkpoint } = options
  if (folder === undefined) throw noFolder()
  const environment = environmentOf(options)
  const { disk, clock } = environment
  const file = fileOf(folder, target, shard)
  const unlock = await attempt(folder, () => {
    disk.makeFolder(folder)
    return lock(folder, stemOf(target), shard, environment)
  })
  const states = createEntryStates(target, shard)
  let journal: Journal
  let draftLedger: () => void
  try {
    const { isForUpload = false } = options
    const reading = { disk, folder, target, shard, skipped: emptied, checkpoint, isForUpload }
    const isThere = await attempt(folder, () => replayFiles(states, reading))
    const header = `${JSON.stringify({ schema, ...normalTarget(target), ...(shard && { shard }) })}\n`
    draftLedger = () => drafted(disk, file, isThere, header)
    journal = await attempt(file, () =>
      createJournal(
        journalTarget(environment, { folder, file, isThere, header, ...(rebuilds && { draftLedger }) }),
        (act) => clock.after(noteMs, act),
      ),
    )
  } catch (error) {
    try {
      unlock()
    } catch {
      // The lock of an ended process is removed by the next one; the first error says why nothing was done.
    }
    throw error
  }

  const run = environment.randomId()
  let hasNew = false
  // By key, in monotonic time. The clock of another process may have been wrong, or was set since.
  const knownSince = new Map<string, number>()
  const numbered = (event: NewEvent): LedgerEvent => ({
    n: states.count(),
    at: new Date(clock.now()).toISOString(),
    run,
    ...event,
  })
  const rethrow = (cause: unknown): never => {
    if (cause instanceof BulkError) throw cause
    throw rebuilds ? cannotRebuild(draftOf(file), cause) : cannotWrite(file, cause)
  }
  const append = (newEvent: NewEvent) => {
    const event = numbered(newEvent)
    states.apply(event)
    hasNew = true
    journal.append(JSON.stringify(event))
  }
  return {
    stateOf: states.stateOf,
    changedFrom: states.changedFrom,
    item: states.item,
    hasId: states.hasId,
    ambiguous: states.ambiguous,
    file,
    /** The uploads of this shard whose result is unknown, to be reconciled. */
    unresolved: (): UnresolvedEntry[] =>
      states.unresolved().map((item) => ({ ...item, knownSince: knownSince.get(item.key) })),
    /** Remember when this process first queried the service for uploads, for `UnresolvedEntry.knownSince`. */
    markQueried(keys: readonly string[]): void {
      for (const key of keys) if (!knownSince.has(key)) knownSince.set(key, clock.monotonic())
    },
    /** Resolves when the intents are synced to disk. Calls meanwhile share one sync. Rejects with a BulkError. */
    async intend(items: readonly Intent[]): Promise<void> {
      const events = items.map((item) => numbered({ event: 'intent', ...item }))
      await journal.appendSynced(events.map((event) => JSON.stringify(event))).catch(rethrow)
      for (const event of events) {
        states.apply(event)
        knownSince.set(event.key, clock.monotonic())
      }
    },
    /** Call before sending. Writes an event at once if the time of the intent is too old to stand for the time of sending. */
    markSent(key: string): void {
      knownSince.set(key, clock.monotonic())
      const { sentAt } = states.item(key) ?? {}
      if (sentAt === undefined || Math.abs(clock.now() - Date.parse(sentAt)) < freshMs) return
      append({ event: 'sent', key })
      journal.write()
    },
    /** Close an intent. Written soon, and synced with the next sync. */
    close(key: string, closing: ClosingEvent): void {
      if (closing.event !== 'unknown') knownSince.delete(key)
      append({ key, ...closing })
    },
    /** Add an event, as `close` does. */
    append: append as (event: Exclude<NewEvent, { event: 'intent' }>) => void,
    /** Write everything before it returns, without a sync: it survives the process, but perhaps not the machine. */
    write: journal.write,
    /**
     * With `rebuilds`: create the copy of the ledger. Until it is published, an upload is refused where the ledger is missing
     * or lacks what is found. An earlier rebuild that has not ended is begun again.
     */
    begin(): void {
      try {
        if (rebuilds) draftLedger()
      } catch (error) {
        rethrow(error)
      }
    },
    /** With `rebuilds`: resolves when the events, if there are any, are in the ledger and synced to disk. Call it once, at the end. */
    async publish(): Promise<void> {
      const draft = draftOf(file)
      if (!hasNew) return disk.remove(draft)
      try {
        await journal.sync()
        disk.rename(draft, file)
      } catch (error) {
        rethrow(error)
      }
      syncFolders(disk, folder)
    },
    /** Flush and close the files. */
    release: (): Promise<void> => journal.close().catch(rethrow).finally(unlock),
  }
}

async function attempt<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** The file of a journal, or the function that creates it with its first lines. */
function journalTarget(
  { disk }: BulkEnvironment,
  at: { folder: string; file: string; isThere: boolean; header: string; draftLedger?: () => void },
): OpenFile | ((first: Buffer) => OpenFile) {
  const { folder, file, isThere, header } = at
  if (at.draftLedger) return (first) => appended(reopened(disk, draftOf(file)), first)
  if (!isThere) return (first) => created(disk, folder, file, header, first)
  // The process that created it may have been killed before it synced the name.
  syncFolders(disk, folder)
  return reopened(disk, file)
}

/** Sync a folder and those above it: without one of them, a loss of power could remove all that is in it. */
function syncFolders(disk: Disk, folder: string): void {
  disk.syncFolder(folder)
  const above = dirname(folder)
  if (above !== folder) syncFolders(disk, above)
}

/** Open a file to append to it, truncated after its last whole line. */
function reopened(disk: Disk, path: string): OpenFile {
  const file = disk.open(path, 'append')
  try {
    const size = file.size()
    const length = endOfLines(file, size)
    if (length < size) file.truncate(length)
    return { file, length }
  } catch (error) {
    file.close()
    throw error
  }
}

/** Create the copy of a ledger that a rebuild completes. */
function drafted(disk: Disk, path: string, isThere: boolean, header: string): void {
  const draft = draftOf(path)
  disk.remove(draft)
  if (isThere) copy(disk, path, draft)
  else disk.create(draft, header)
}

function appended({ file, length }: OpenFile, bytes: Buffer): OpenFile {
  try {
    writeAll(file, bytes)
    return { file, length: length + bytes.length }
  } catch (error) {
    file.close()
    throw error
  }
}

function copy(disk: Disk, from: string, to: string): void {
  const [source, target] = [disk.open(from, 'read'), disk.open(to, 'replace')]
  try {
    const chunk = Buffer.allocUnsafe(1 << 20)
    for (let at = 0, read = 0; ; at += read) {
      read = source.read(chunk, 0, chunk.length, at)
      if (read === 0) return
      writeAll(target, chunk.subarray(0, read))
    }
  } finally {
    source.close()
    target.close()
  }
}

function writeAll(file: DiskFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += file.write(bytes, at)
}

/** Create a file that appears whole: its header and first entries. */
function created(disk: Disk, folder: string, path: string, header: string, first: Buffer): OpenFile {
  const bytes = Buffer.concat([Buffer.from(header), first])
  const draft = `${path}.new`
  try {
    const file = disk.open(draft, 'replace')
    try {
      writeAll(file, bytes)
      file.syncSync()
      disk.rename(draft, path)
      syncFolders(disk, folder)
      return { file, length: bytes.length }
    } catch (error) {
      file.close()
      disk.remove(draft)
      throw error
    }
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

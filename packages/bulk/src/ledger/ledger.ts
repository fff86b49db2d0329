import { randomUUID } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../../../cli/src/exit.js'
import { makeFolder, syncFolder } from '../../../cli/src/io/index.js'
import type { Shard } from '../shard.js'
import { createEntryStates, type EntryStates, type UnresolvedEntry } from './entry-states.js'
import { type ClosingEvent, type Intent, type LedgerEvent, type NewEvent, schema } from './events.js'
import { cannotOpen, cannotRebuild, cannotWrite, noFolder } from './failure.js'
import { type Checkpoint, draftOf, eachEvent, ledgerFiles, nameOf, stemOf } from './files.js'
import { normalTarget, type Target } from './identity.js'
import { createJournal, endOfLines, type Journal, type Later } from './journal.js'
import { lock } from './lock.js'

/** A write-ahead log of the uploads to one project, on disk. */
export interface Ledger extends Pick<EntryStates, 'stateOf' | 'changedFrom' | 'item' | 'hasId'> {
  readonly file: string
  /** Resolves when the intents are synced to disk. Calls meanwhile share one sync. Rejects with a CliError. */
  intend(items: readonly Intent[]): Promise<void>
  /** Close an intent. Written soon, and synced with the next sync. */
  close(key: string, closing: ClosingEvent): void
  /** Call before sending. Writes an event at once if the time of the intent is too old to stand for the time of sending. */
  markSent(key: string): void
  /** Add an event, as `close` does. */
  append(event: Exclude<NewEvent, { event: 'intent' }>): void
  /** The uploads of this shard whose result is unknown, to be reconciled. */
  unresolved(): UnresolvedEntry[]
  /** Remember when this process first queried the service for uploads, for `UnresolvedEntry.knownSince`. */
  markQueried(keys: readonly string[]): void
  /** Write everything before it returns, without a sync: it survives the process, but perhaps not the machine. */
  write(): void
  /** Resolves when everything is synced to disk. */
  flush(): Promise<void>
  /** With `rebuilds`: resolves when the events, if there are any, are in the ledger and synced to disk. Call it once, at the end. */
  publish(): Promise<void>
  /** Flush and close the files. May be called again. */
  release(): Promise<void>
}

export interface LedgerOptions {
  /** `ledgerFolder`. Created if missing. */
  folder: string | undefined
  target: Target
  shard?: Shard | undefined
  now(): number
  /** The time that waits are measured by. Default: `now`. */
  monotonic?(): number
  /** Files of the target that lost their entries: not read, and that of this ledger is replaced. */
  emptied?: readonly string[]
  /** Write into a copy of the ledger, which takes its place as a whole with `publish`. Default: into the ledger. */
  rebuilds?: boolean
  /** Awaited now and then while the files are read; its rejection ends the opening. */
  checkpoint?: Checkpoint
  /** When events are written if no sync comes before. Default: at the next turn of the event loop. */
  later?: Later | undefined
}

/** The time of an intent counts as the time of sending for this long. */
const freshMs = 500

/**
 * Open the ledger of a target for writing, after reading all files of that target in the folder.
 *
 * @throws {CliError} if it cannot be read or written, or another process writes it
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { folder, target, shard, now, monotonic = now, later, emptied, rebuilds = false, checkpoint } = options
  if (folder === undefined) throw noFolder()
  const file = join(folder, `${nameOf(stemOf(target), shard)}.jsonl`)
  const time = () => new Date(now()).toISOString()
  const unlock = await attempt(folder, async () => {
    await makeFolder(folder)
    return lock(folder, stemOf(target), shard, time())
  })
  const states = createEntryStates(target, shard)
  let journal: Journal
  try {
    const isThere = await attempt(folder, async () => {
      const files = ledgerFiles(folder, target, emptied)
      await eachEvent(files, states.replay, checkpoint)
      return files.some(({ path }) => path === file)
    })
    const header = { schema, ...normalTarget(target), ...(shard && { shard }) }
    journal = await attempt(file, () => {
      if (rebuilds) return createJournal(drafted(file, isThere, header), later)
      return createJournal(isThere ? reopened(file) : (first) => created(folder, file, header, first), later)
    })
  } catch (error) {
    unlock()
    throw error
  }

  const run = randomUUID()
  let hasNew = false
  let released: Promise<void> | undefined
  // By key, in monotonic time. The clock of another process may have been wrong, or was set since.
  const knownSince = new Map<string, number>()
  const numbered = (event: NewEvent): LedgerEvent => ({ n: states.count(), at: time(), run, ...event })
  const rethrow = (cause: unknown): never => {
    if (cause instanceof CliError) throw cause
    throw rebuilds ? cannotRebuild(draftOf(file), cause) : cannotWrite(file, cause)
  }
  const append = (newEvent: NewEvent) => {
    const event = numbered(newEvent)
    states.apply(event)
    hasNew = true
    journal.append(JSON.stringify(event))
  }
  return {
    ...states,
    file,
    unresolved: () => states.unresolved().map((item) => ({ ...item, knownSince: knownSince.get(item.key) })),
    markQueried(keys) {
      for (const key of keys) if (!knownSince.has(key)) knownSince.set(key, monotonic())
    },
    async intend(items) {
      const events = items.map((item) => numbered({ event: 'intent', ...item }))
      await journal.appendSynced(events.map((event) => JSON.stringify(event))).catch(rethrow)
      for (const event of events) {
        states.apply(event)
        knownSince.set(event.key, monotonic())
      }
    },
    markSent(key) {
      knownSince.set(key, monotonic())
      const { sentAt } = states.item(key) ?? {}
      if (sentAt === undefined || Math.abs(now() - Date.parse(sentAt)) < freshMs) return
      append({ event: 'sent', key })
      journal.write()
    },
    close(key, closing) {
      if (closing.event !== 'unknown') knownSince.delete(key)
      append({ key, ...closing })
    },
    append,
    write: journal.write,
    flush: () => journal.sync().catch(rethrow),
    async publish() {
      const draft = draftOf(file)
      if (!hasNew) return rmSync(draft, { force: true })
      try {
        await journal.sync()
        renameSync(draft, file)
      } catch (error) {
        rethrow(error)
      }
      syncFolder(folder)
    },
    release() {
      released ??= journal.close().catch(rethrow).finally(unlock)
      return released
    },
  }
}

async function attempt<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** Open a file to append to it, truncated after its last whole line. */
function reopened(file: string) {
  const fd = openSync(file, 'a+', 0o600)
  try {
    const { size } = fstatSync(fd)
    const length = endOfLines(fd, size)
    if (length < size) ftruncateSync(fd, length)
    return { fd, length }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Create the copy of a ledger that a rebuild completes: that of an interrupted rebuild is begun again. */
function drafted(file: string, isThere: boolean, header: object) {
  const draft = draftOf(file)
  rmSync(draft, { force: true })
  if (isThere) copyFileSync(file, draft)
  else writeFileSync(draft, `${JSON.stringify(header)}\n`, { mode: 0o600 })
  return reopened(draft)
}

/** Create a file that appears whole: its header and first entries. */
function created(folder: string, file: string, header: object, first: Buffer) {
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), first])
  const draft = `${file}.new`
  const fd = openSync(draft, 'w', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fsyncSync(fd)
    renameSync(draft, file)
    syncFolder(folder)
    return { fd, length: bytes.length }
  } catch (error) {
    closeSync(fd)
    rmSync(draft, { force: true })
    throw cannotOpen(file, error)
  }
}

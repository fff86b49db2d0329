import { dirname } from 'node:path'
import { BulkError } from '../bulk-error.js'
import { type Claim, removeClaim } from '../claims.js'
import { type BulkEnvironment, type Disk, removeQuietly, writeAll } from '../environment/index.js'
import { environmentOf, type GivenEnvironment } from '../environment-of.js'
import type { Shard } from '../shard.js'
import { createEntryStates, replayFiles, shardKey, type UnresolvedEntry } from './entry-states.js'
import {
  type ClosingEvent,
  defaultTimeoutMs,
  type Intent,
  type Item,
  type LedgerEvent,
  type NewEvent,
  schema,
} from './events.js'
import { cannotOpen, cannotRead, cannotRebuild, cannotWrite, lateEntries, lost, noFolder } from './failure.js'
import {
  type Checkpoint,
  draftOf,
  eventsAfter,
  eventsOf,
  fileOf,
  generationsOf,
  ledgerFiles,
  nameOf,
  shardIn,
  stemOf,
} from './files.js'
import { normalTarget, type Target } from './identity.js'
import { createJournal, endOfLines, type Journal, type OpenFile } from './journal.js'
import { type LeaseOptions, lock } from './lock.js'

/** A write-ahead log of the uploads to one project, on disk. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>

export interface LedgerOptions extends GivenEnvironment, LeaseOptions {
  /** Created if missing. */
  folder: string | undefined
  target: Target
  shard?: Shard | undefined
  /** Refuse a ledger that lacks uploads which a rebuild that has not ended has found. */
  isForUpload?: boolean
  /** Files of the target that lost their entries: not read, and that of this ledger is replaced. */
  emptied?: readonly string[]
  /** Write into a file of its own, which joins the ledger as a whole with `publish`. Default: into the ledger. */
  rebuilds?: boolean
  /** Awaited now and then while the files are read; its rejection ends the opening. */
  checkpoint?: Checkpoint | undefined
}

/** How long an event may wait to be written with others, in milliseconds. */
const noteMs = 5

/** The time of an intent counts as the time of sending for this long. */
const freshMs = 500

/**
 * Open the ledger of a target for writing, after reading all files of that target in the folder. Waits for the lease of an
 * owner that may have ended.
 *
 * @throws {BulkError} if it cannot be read or written, or another process writes it
 */
export async function openLedger(options: LedgerOptions) {
  // One function: all that writes shares the lock, the journal and the states.
  const { folder, target, shard, emptied, rebuilds = false, checkpoint } = options
  if (folder === undefined) throw noFolder()
  const environment = environmentOf(options)
  const { disk, clock } = environment
  const {
    release: unlock,
    isOwner,
    expired,
  } = await attempt(folder, () => {
    disk.makeFolder(folder)
    return lock(folder, stemOf(target), shard, environment, options)
  })
  const states = createEntryStates(target, shard)
  const draft = draftOf(fileOf(folder, target, shard))
  let journal: Journal
  let file: string
  let latest: string | undefined
  let former: FormerFile[]
  try {
    const { isForUpload = false } = options
    const reading = { disk, folder, target, shard, skipped: emptied, checkpoint, isForUpload }
    former = await attempt(folder, () => replaceOwners(environment, { folder, target, expired }))
    const generations = await attempt(folder, () => generationsOf(disk, folder, nameOf(stemOf(target), shard)))
    latest = generations.latest
    file = rebuilds ? generations.next : (latest ?? generations.next)
    // Else the latest generation may be that of the process which has replaced this one meanwhile.
    if (!(await attempt(file, isOwner))) throw lost(file)
    await attempt(folder, () => replayFiles(states, reading))
    const journalFile = { folder, file, header: headerOf(target, shard), isThere: latest !== undefined, draft }
    journal = await attempt(file, () =>
      createJournal(journalTarget(environment, { ...journalFile, rebuilds }), (act) => clock.after(noteMs, act)),
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
  // In monotonic time: the clock of another process may have been wrong, or was set since. Nobody else sends from here on.
  const openedAt = clock.monotonic()
  const openedAtMachine = environment.host.time?.()
  const knownSince = new Map<string, number>()
  const numbered = (event: NewEvent): LedgerEvent => ({
    n: states.count(),
    at: new Date(clock.now()).toISOString(),
    run,
    ...event,
  })
  const rethrow = (cause: unknown): never => {
    if (cause instanceof BulkError) throw cause
    throw rebuilds ? cannotRebuild(draft, cause) : cannotWrite(file, cause)
  }
  const append = (newEvent: NewEvent) => {
    const event = numbered(newEvent)
    states.apply(event)
    journal.append(JSON.stringify(event))
  }
  // Else runs that all end before an upload counts as absent would each begin the wait anew.
  if (openedAtMachine && !rebuilds && states.unresolved().length > 0)
    append({ event: 'opened', key: shardKey(shard), ...openedAtMachine })
  /** When the ledger was first opened since an upload was sent, as far as the clock of this machine tells. */
  const firstOpened = ({ openings }: UnresolvedEntry): number => {
    const first = openings.find(({ since }) => since === openedAtMachine?.since)
    return openedAt - Math.max(0, (openedAtMachine?.ms ?? 0) - (first?.ms ?? Number.POSITIVE_INFINITY))
  }
  let isLost = false
  const mayWrite = (): boolean => {
    try {
      if (isLost || isOwner()) return !isLost
      isLost = true
      // The next owner may know less of an upload than this process will write about it: that counts last.
      for (const { n } of eventsOf(disk, ledgerFiles(disk, folder, { target, skipped: emptied }))) states.noteNumber(n)
      return false
    } catch (error) {
      throw cannotWrite(file, error)
    }
  }
  const mayBeLost = (): boolean => {
    try {
      return !mayWrite()
    } catch {
      // The next write to the disk says what is wrong with it.
      return true
    }
  }
  /** The names of the uploads that replaced owners have recorded since, which are unknown from now on. */
  const adoptLate = (): string[] => {
    try {
      const events = former.flatMap(({ path, start }) => eventsAfter(disk, path, start))
      for (const { n } of events) states.noteNumber(n)
      const late = lateIn(events, states.item)
      for (const { key, ids } of late) {
        append({ key, event: 'unknown', candidates: ids, late: true })
        knownSince.set(key, clock.monotonic())
      }
      return late.map(({ name }) => name)
    } catch (error) {
      throw cannotRead(folder, error)
    }
  }
  return {
    stateOf: states.stateOf,
    changedFrom: states.changedFrom,
    item: states.item,
    hasId: states.hasId,
    ambiguous: states.ambiguous,
    rebuiltAt: states.rebuiltAt,
    file,
    /** True once another process has, or may have, taken the ledger over. Results may still be recorded. */
    mayBeLost,
    /** The uploads of this shard whose result is unknown, to be reconciled. */
    unresolved: (): UnresolvedEntry[] =>
      states.unresolved().map((item) => ({ ...item, knownSince: knownSince.get(item.key) ?? firstOpened(item) })),
    /** Resolves when the intents are synced to disk. Calls meanwhile share one sync. Rejects with a BulkError. */
    async intend(items: readonly Intent[]): Promise<void> {
      const events = items.map((item) => numbered({ event: 'intent', ...item }))
      await journal.appendSynced(events.map((event) => JSON.stringify(event))).catch(rethrow)
      for (const event of events) {
        states.apply(event)
        knownSince.set(event.key, clock.monotonic())
      }
    },
    /**
     * Call before sending, after `intend`. Writes an event at once if the time of the intent is too old to stand for the time
     * of sending. Throws a BulkError if another process has taken the ledger over: then nothing may be sent.
     */
    markSent(key: string): void {
      if (!mayWrite()) throw lost(file)
      knownSince.set(key, clock.monotonic())
      const { sentAt } = states.item(key) ?? {}
      if (sentAt === undefined || Math.abs(clock.now() - Date.parse(sentAt)) < freshMs) return
      append({ event: 'sent', key })
      journal.write()
    },
    /** Call when the request has ended: the process may have stood still between `markSent` and the request. */
    markEnded(key: string): void {
      const { timeoutMs = defaultTimeoutMs } = states.item(key)?.intent ?? {}
      const since = knownSince.get(key) ?? Number.NEGATIVE_INFINITY
      knownSince.set(key, Math.max(since, clock.monotonic() - timeoutMs))
    },
    /** Close an intent. Written soon, and synced with the next sync. */
    close(key: string, closing: ClosingEvent): void {
      // The search may be older than what the next owner has sent.
      if (closing.event === 'absent' && mayBeLost()) return
      if (closing.event !== 'unknown') knownSince.delete(key)
      // The number of an event of a replaced owner is greater than those of the next one, so that it counts last.
      const late = closing.event === 'unknown' && mayBeLost()
      append({ key, ...closing, ...(late && { late }) })
    },
    /** Add an event, as `close` does. */
    append: append as (event: Exclude<NewEvent, { event: 'intent' }>) => void,
    /** Write everything before it returns, without a sync: it survives the process, but perhaps not the machine. */
    write: journal.write,
    /**
     * With `rebuilds`: create the file. Until it is published, an upload is refused where the ledger is missing
     * or lacks what is found. An earlier rebuild that has not ended is begun again.
     */
    begin(): void {
      try {
        if (!mayWrite()) throw lost(file)
        disk.remove(draft)
        disk.create(draft, headerOf(target, shard))
        append({ event: 'rebuilt', key: '' })
      } catch (error) {
        rethrow(error)
      }
    },
    /**
     * With `rebuilds`: resolves to the file of the ledger when the events are in it and synced to disk. Call it once, at the end.
     */
    async publish(): Promise<string> {
      if (!mayWrite()) throw lost(file)
      try {
        await journal.sync()
        disk.link(draft, file)
        disk.remove(draft)
      } catch (error) {
        rethrow(error)
      }
      syncFolders(disk, folder)
      return file
    },
    /**
     * Flush and close the files. Rejects with a BulkError `possibly_stored` if an owner that was replaced has recorded uploads
     * since.
     */
    async release(): Promise<void> {
      let late: string[] = []
      try {
        if (former.length > 0 && mayWrite()) late = adoptLate()
      } finally {
        await journal.close().catch(rethrow).finally(unlock)
      }
      if (late.length > 0) throw lateEntries(file, late)
    },
  }
}

/** The file of a journal, or the function that creates it with its first lines. */
function journalTarget(
  environment: BulkEnvironment,
  at: { folder: string; file: string; header: string; isThere: boolean; draft: string; rebuilds: boolean },
): OpenFile | ((first: Buffer) => OpenFile) {
  const { disk } = environment
  const { folder, file, header, isThere } = at
  if (at.rebuilds) return (first) => appended(reopened(disk, at.draft), first)
  if (!isThere) return (first) => createdByOwner(environment, { folder, path: file, first: [header, first] })
  // The process that created it may have been killed before it synced the name.
  syncFolders(disk, folder)
  return reopened(disk, file)
}

/** A file of an owner that was replaced: it may still append to it. */
interface FormerFile {
  path: string
  /** The bytes that it had before it was read. */
  start: number
}

const headerOf = (target: Target, shard: Shard | undefined): string =>
  `${JSON.stringify({ schema, ...normalTarget(target), ...(shard && { shard }) })}\n`

/**
 * Replace owners whose leases have expired: each next owner of their ledgers begins a file of its own. That file is there
 * before their claims are removed, so that nobody appends to a file together with an owner that wakes up again.
 */
function replaceOwners(
  environment: BulkEnvironment,
  { folder, target, expired }: { folder: string; target: Target; expired: readonly Claim[] },
): FormerFile[] {
  const { disk, clock } = environment
  return expired.flatMap((claim) => {
    const { id: key, pid, host, at: since, ledger } = claim
    const at = new Date(clock.now()).toISOString()
    const replaced: LedgerEvent = { n: 0, at, run: '', event: 'replaced', key, pid, host, since }
    const first = [headerOf(target, shardIn(ledger)), `${JSON.stringify(replaced)}\n`]
    for (;;) {
      const { latest, next } = generationsOf(disk, folder, ledger)
      try {
        created(environment, { folder, path: next, first }).file.close()
      } catch (error) {
        // The replaced owner has created it in the meantime.
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
        throw error
      }
      removeClaim(disk, claim)
      return latest === undefined ? [] : [{ path: latest, start: lengthOf(disk, latest) }]
    }
  })
}

interface LateUpload {
  key: string
  name: string
  /** The ids under which it may be stored. */
  ids: string[]
}

/** The uploads that an owner has recorded after it was replaced, besides those that it has not sent. */
function lateIn(events: readonly LedgerEvent[], itemOf: (key: string) => Item | undefined): LateUpload[] {
  const late = new Map<string, LateUpload>()
  for (const event of events) {
    const { key } = event
    if (event.event === 'intent') late.set(key, { key, name: event.name, ids: [] })
    else if (event.event === 'unsent' || event.event === 'refused') late.delete(key)
    else if (event.event === 'done' || event.event === 'unknown') {
      const item = itemOf(key)
      const before = late.get(key)
      const { name = item?.name ?? key, ids = [] } = before ?? {}
      const newIds = event.event === 'done' ? [event.id] : event.candidates
      const mayBeSecond = event.event === 'unknown' || item?.ids.some((id) => id !== event.id)
      if (before || mayBeSecond) late.set(key, { key, name, ids: [...ids, ...newIds] })
    }
  }
  return [...late.values()]
}

async function attempt<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** Sync a folder and those above it: without one of them, a loss of power could remove all that is in it. */
export function syncFolders(disk: Disk, folder: string): void {
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

function appended({ file, length }: OpenFile, bytes: Buffer): OpenFile {
  try {
    writeAll(file, bytes)
    return { file, length: length + bytes.length }
  } catch (error) {
    file.close()
    throw error
  }
}

/** The length of the whole lines of a file, in bytes. */
function lengthOf(disk: Disk, path: string): number {
  const file = disk.open(path, 'read')
  try {
    return endOfLines(file, file.size())
  } finally {
    file.close()
  }
}

interface NewFile {
  folder: string
  path: string
  /** Its header and its first entries. */
  first: readonly (string | Buffer)[]
}

/** Create a file that appears whole, with its first entries. Throws EEXIST if it is there. */
function created({ disk, randomId }: BulkEnvironment, { folder, path, first }: NewFile): OpenFile {
  const bytes = Buffer.concat(first.map((part) => Buffer.from(part)))
  const draft = `${path}.${randomId()}.new`
  const file = disk.open(draft, 'new')
  let isLinked = false
  try {
    writeAll(file, bytes)
    file.syncSync()
    // A rename could replace the file of another owner.
    disk.link(draft, path)
    isLinked = true
    syncFolders(disk, folder)
    return { file, length: bytes.length }
  } catch (error) {
    file.close()
    if (isLinked) removeQuietly(disk, path)
    throw error
  } finally {
    removeQuietly(disk, draft)
  }
}

/** Create the first file of a ledger. */
function createdByOwner(environment: BulkEnvironment, file: NewFile): OpenFile {
  try {
    return created(environment, file)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? lost(file.path) : cannotOpen(file.path, error)
  }
}

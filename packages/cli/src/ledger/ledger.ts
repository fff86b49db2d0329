import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../exit.js'
import { makeFolder } from '../io/index.js'
import type { Shard } from '../shard.js'
import { createEntryStates, type EntryStates, type UnresolvedEntry } from './entry-states.js'
import { type ClosingEvent, type Intent, type LedgerEvent, type NewEvent, schema } from './events.js'
import { cannotOpen, cannotWrite, noFolder } from './failure.js'
import { eventsOf, ledgerFiles, nameOf, stemOf } from './files.js'
import { normalTarget, type Target } from './identity.js'
import { createJournal, endOfLines, type Journal, type Later } from './journal.js'
import { lock } from './lock.js'

/** A write-ahead record of the uploads to one project, on disk. */
export interface Ledger extends Pick<EntryStates, 'standing' | 'changedFrom' | 'item' | 'claimed'> {
  /** The file that this ledger writes. */
  readonly file: string
  /** Resolves when the intents are on disk; calls meanwhile share one sync. Rejects with a CliError when they cannot be. */
  intend(items: readonly Intent[]): Promise<void>
  /** Says what became of an intent. Written soon, and synced with what is synced next. */
  close(key: string, closing: ClosingEvent): void
  /** Says, before it is sent, that an item is: written down at once where its intent is no longer fresh. */
  markSent(key: string): void
  /** Says what happened to an item, as `close` does. */
  append(happening: Exclude<NewEvent, { event: 'intent' }>): void
  /** Items whose fate is not known: to be reconciled. Those of other shards are left to them. */
  unresolved(): UnresolvedEntry[]
  /** Remembers when this process first asked the service about items, for `OpenItem.knownSince`. */
  markQueried(keys: readonly string[]): void
  /** Writes all that was said before it returns: it is not lost with the process, though it may be with the machine. */
  write(): void
  /** Resolves when everything said is on disk. */
  flush(): Promise<void>
  /** Flushes and lets go of the files; may be called again. */
  release(): Promise<void>
}

export interface LedgerOptions {
  /** `ledgerFolder`; made where there is none. */
  folder: string | undefined
  target: Target
  /** The part of the work that this process does; `index` from 0. */
  shard?: Shard | undefined
  now(): number
  /** Files of the target that lost their entries: not read; that of this ledger is replaced with its first entry. */
  emptied?: readonly string[]
  /** When what became of items is written, if no sync comes before. Default: at the next turn of the loop. */
  later?: Later | undefined
}

/** So long the time of an intent is near enough to that of its sending. */
const freshMs = 500

/**
 * Opens the ledger of a target for writing, having read what all files of that target in the folder tell. Throws a
 * CliError where it cannot be read or written, or another process writes it.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { folder, target, shard, now, later, emptied } = options
  if (folder === undefined) throw noFolder()
  const file = join(folder, `${nameOf(stemOf(target), shard)}.jsonl`)
  const time = () => new Date(now()).toISOString()
  const unlock = await attempt(folder, async () => {
    await makeFolder(folder)
    return lock(folder, stemOf(target), shard, time())
  })
  const standings = createEntryStates(target, shard)
  let journal: Journal
  try {
    const isThere = await attempt(folder, () => {
      const files = ledgerFiles(folder, target, emptied)
      for (const { event } of eventsOf(files)) standings.recall(event)
      return files.some(({ path }) => path === file)
    })
    const header = { schema, ...normalTarget(target), ...(shard && { shard }) }
    journal = await attempt(file, () =>
      createJournal(isThere ? reopened(file) : (first) => created(folder, file, header, first), later),
    )
  } catch (error) {
    unlock()
    throw error
  }

  const run = randomUUID()
  let released: Promise<void> | undefined
  // By key. Times that another process wrote are those of a clock that may have been wrong, or set since.
  const knownSince = new Map<string, number>()
  const stamp = (happening: NewEvent): LedgerEvent => ({ n: standings.count(), at: time(), run, ...happening })
  const orTell = (cause: unknown): never => {
    throw cause instanceof CliError ? cause : cannotWrite(file, cause)
  }
  const tell = (happening: NewEvent): string => {
    const event = stamp(happening)
    standings.tell(event)
    return JSON.stringify(event)
  }
  return {
    ...standings,
    file,
    unresolved: () => standings.open().map((item) => ({ ...item, knownSince: knownSince.get(item.key) })),
    markQueried(keys) {
      for (const key of keys) if (!knownSince.has(key)) knownSince.set(key, now())
    },
    async intend(items) {
      const events = items.map((item) => stamp({ event: 'intent', ...item }))
      await journal.appendSynced(events.map((event) => JSON.stringify(event))).catch(orTell)
      for (const event of events) {
        standings.tell(event)
        knownSince.set(event.key, now())
      }
    },
    markSent(key) {
      knownSince.set(key, now())
      const { sentAt } = standings.item(key) ?? {}
      if (sentAt === undefined || Math.abs(now() - Date.parse(sentAt)) < freshMs) return
      journal.append(tell({ event: 'sent', key }))
      journal.write()
    },
    close(key, closing) {
      if (closing.event !== 'unknown') knownSince.delete(key)
      journal.append(tell({ key, ...closing }))
    },
    append: (happening) => journal.append(tell(happening)),
    write: journal.write,
    flush: () => journal.sync().catch(orTell),
    release() {
      released ??= journal.close().catch(orTell).finally(unlock)
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

/** Opens a file to add to it, cut off behind its last whole line. */
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

/** Makes a file that appears whole, with a first line that says what it is and its first entries. */
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

/** The name of a new file is on disk only when its folder is; not every system can be asked for that. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Then it is the system's own care.
  }
}

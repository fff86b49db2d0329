import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../disk.js'
import { CliError } from '../exit.js'
import type { Shard } from '../shard.js'
import type { Ledger } from './contract.js'
import { type Happening, type LedgerEvent, schema } from './events.js'
import { cannotOpen, cannotWrite, noFolder } from './failure.js'
import { ledgerFiles, nameOf, stemOf } from './files.js'
import { normalTarget, type Target } from './identity.js'
import type { Intent } from './intent.js'
import { createJournal, type Journal, type Later } from './journal.js'
import { endOfLines } from './lines.js'
import { lock } from './lock.js'
import { eventsOf } from './read.js'
import { createStandings } from './standings.js'

export type { Ledger, OpenItem, Standing } from './contract.js'
export { ledgerFolder } from './folder.js'

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

/**
 * Opens the ledger of a target for writing, having read what all files of that target in the folder tell. Throws a
 * CliError where it cannot be read or written, or another process writes it.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { folder, target, shard, now, later, emptied } = options
  if (folder === undefined) throw noFolder()
  const file = join(folder, `${nameOf(stemOf(target), shard)}.jsonl`)
  const time = isoClock(now)
  const unlock = await attempt(folder, async () => {
    await makeFolder(folder)
    return lock(folder, stemOf(target), shard, time())
  })
  try {
    const standings = createStandings(target, shard)
    const isThere = await attempt(folder, () => {
      const files = ledgerFiles(folder, target, emptied)
      for (const { event } of eventsOf(files)) standings.recall(event)
      return files.some(({ path }) => path === file)
    })
    const journal = await attempt(file, () =>
      isThere ? reopenJournal(file, later) : createdJournal(file, { folder, target, shard, later }),
    )
    return ledgerOn(journal, { file, standings, run: randomUUID(), now, time, unlock })
  } catch (error) {
    unlock()
    throw error
  }
}

/** The present in ISO 8601, written once a millisecond. */
function isoClock(now: () => number): () => string {
  let ms = Number.NaN
  let text = ''
  return () => {
    const present = now()
    if (present !== ms) text = new Date(present).toISOString()
    ms = present
    return text
  }
}

/** The instant of a time in ISO 8601, read once for all that bear the same. */
function isoReader(): (time: string) => number {
  let latest = ''
  let ms = Number.NaN
  return (time) => {
    if (time !== latest) ms = Date.parse(time)
    latest = time
    return ms
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
function reopenJournal(file: string, later: Later | undefined): Journal {
  const fd = openSync(file, 'a+', 0o600)
  try {
    const { size } = fstatSync(fd)
    const length = endOfLines(fd, size)
    if (length < size) ftruncateSync(fd, length)
    return createJournal({ fd, length }, later)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

interface Creation extends Pick<LedgerOptions, 'target' | 'shard' | 'later'> {
  folder: string
}

/** A journal whose file appears whole, with a first line that says what it is and its first entries. */
function createdJournal(file: string, { folder, target, shard, later }: Creation): Journal {
  const header = JSON.stringify({ schema, ...normalTarget(target), ...(shard && { shard }) })
  return createJournal((first) => {
    const bytes = Buffer.concat([Buffer.from(`${header}\n`), first])
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
  }, later)
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

/** So long the time of an intent is near enough to that of its sending. */
const freshMs = 500

interface Parts {
  file: string
  standings: ReturnType<typeof createStandings>
  run: string
  now(): number
  time(): string
  unlock(): void
}

function ledgerOn(journal: Journal, { file, standings, run, now, time, unlock }: Parts): Ledger {
  let released: Promise<void> | undefined
  // By key. Times that another process wrote are those of a clock that may have been wrong, or set since.
  const knownSince = new Map<string, number>()
  const instantOf = isoReader()
  const stamp = (...parts: [Happening] | [{ event: 'intent' }, Intent]): LedgerEvent =>
    Object.assign({ n: standings.count(), at: time(), run }, ...parts) as LedgerEvent
  const orTell = (cause: unknown): never => {
    throw cause instanceof CliError ? cause : cannotWrite(file, cause)
  }
  const note = (happening: Happening): void => {
    const event = stamp(happening)
    standings.tell(event)
    journal.note(JSON.stringify(event))
  }
  return {
    file,
    standing: standings.of,
    changedFrom: standings.changedFrom,
    open: () => standings.open().map((item) => ({ ...item, knownSince: knownSince.get(item.key) })),
    asked(keys) {
      for (const key of keys) if (!knownSince.has(key)) knownSince.set(key, now())
    },
    claimed: standings.claimed,
    item: standings.item,
    async intend(items: readonly Intent[]) {
      const events = items.map((item) => stamp({ event: 'intent' }, item))
      await journal.add(events.map((event) => JSON.stringify(event))).catch(orTell)
      for (const event of events) {
        standings.tell(event)
        knownSince.set(event.key, now())
      }
    },
    sending(key) {
      knownSince.set(key, now())
      const { sentAt } = standings.item(key) ?? {}
      if (sentAt === undefined || Math.abs(now() - instantOf(sentAt)) < freshMs) return
      const event = stamp({ event: 'sent', key })
      standings.tell(event)
      journal.noteNow(JSON.stringify(event))
    },
    close(key, closing) {
      if (closing.event !== 'unknown') knownSince.delete(key)
      note(Object.assign({ key }, closing))
    },
    note,
    write: journal.write,
    flush: () => journal.sync().catch(orTell),
    release() {
      released ??= journal.close().catch(orTell).finally(unlock)
      return released
    },
  }
}

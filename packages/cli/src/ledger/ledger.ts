import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../make-folder.js'
import type { Shard } from '../shard.js'
import type { Ledger } from './contract.js'
import { type Happening, type LedgerEvent, schema } from './events.js'
import { cannotOpen, cannotWrite, noFolder } from './failure.js'
import { ledgerFiles, nameOf } from './files.js'
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
  /** When what became of items is written, if no sync comes before. Default: at the next turn of the loop. */
  later?: Later | undefined
}

/**
 * Opens the ledger of a target for writing, having read what all files of that target in the folder tell. Throws a
 * CliError where it cannot be read or written, or another process writes it.
 */
export async function openLedger({ folder, target, shard, now, later }: LedgerOptions): Promise<Ledger> {
  if (folder === undefined) throw noFolder()
  const file = join(folder, `${nameOf(target, shard)}.jsonl`)
  const time = isoClock(now)
  const unlock = await attempt(folder, async () => {
    await makeFolder(folder)
    return lock(folder, target, shard, time())
  })
  try {
    const standings = createStandings(target, shard)
    await attempt(folder, () => {
      for (const { event } of eventsOf(ledgerFiles(folder, target))) standings.tell(event)
    })
    const journal = await attempt(file, () => openJournal(file, { folder, target, shard, later }))
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

/** Opens a file to add to it: cut off behind its last whole line, and with a first line that says what it is. */
async function openJournal(
  file: string,
  { folder, target, shard, later }: Omit<LedgerOptions, 'now'> & { folder: string },
): Promise<Journal> {
  const fd = openSync(file, 'a+', 0o600)
  try {
    const { size } = fstatSync(fd)
    const end = endOfLines(fd, size)
    if (end < size) ftruncateSync(fd, end)
    const journal = createJournal(fd, end, later)
    if (end > 0) return journal
    await journal.add([JSON.stringify({ schema, ...normalTarget(target), ...(shard && { shard }) })])
    syncFolder(folder)
    return journal
  } catch (error) {
    closeSync(fd)
    throw error
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
  // Not by a spread behind the first members, which takes V8 thirty times as long.
  const stamp = (...parts: [Happening] | [{ event: 'intent' }, Intent]): LedgerEvent =>
    Object.assign({ n: standings.count(), at: time(), run }, ...parts) as LedgerEvent
  const orTell = (cause: unknown): never => {
    throw cannotWrite(file, cause)
  }
  const note = (happening: Happening): void => {
    const event = stamp(happening)
    standings.tell(event)
    journal.note(JSON.stringify(event))
  }
  return {
    file,
    standing: standings.of,
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

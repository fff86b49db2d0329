import { hash } from 'node:crypto'
import { basename, join } from 'node:path'
import { grouped } from '@svc/text'
import { type Disk, nodeDisk } from '../environment/index.js'
import type { Shard } from '../shard.js'
import { fold, type Header, type Item, type LedgerEvent, parseEvent, parseObject, schema } from './events.js'
import { cannotRead, damaged, emptied, otherTarget, otherVersion } from './failure.js'
import { normalTarget, type Target } from './identity.js'

/** The beginning of the names of a target's files. */
export const stemOf = (target: Target): string => {
  const { baseUrl, project } = normalTarget(target)
  return `${projectInNames(project)}.${hash('sha256', baseUrl).slice(0, 8)}`
}

const projectInNames = (project: string): string => project.toLowerCase().replace(/[^\w-]/g, '_')

/** The name of a ledger file, without `.jsonl`. */
export const nameOf = (stem: string, shard: Shard | undefined): string =>
  `${stem}${shard ? `.${shard.index + 1}-of-${shard.of}` : ''}`

/** The path of the first ledger file of a target and shard in a folder. */
export const fileOf = (folder: string, target: Target, shard?: Shard): string =>
  generationPath(folder, nameOf(stemOf(target), shard), 1)

const generationPath = (folder: string, name: string, generation: number): string =>
  join(folder, `${name}${generation === 1 ? '' : `.g${generation}`}${ledgerEnding}`)

/**
 * The files of one ledger, by its name: the latest generation, which its owner appends to, and the path of the next one. An
 * owner whose lease expires may still append to its file, so the next owner begins another one.
 */
export function generationsOf(disk: Disk, folder: string, name: string): { latest: string | undefined; next: string } {
  const pattern = /^(?:\.g(\d+))?\.jsonl$/
  const numbers = namesIn(disk, folder).flatMap((each) => {
    const match = each.startsWith(name) && pattern.exec(each.slice(name.length))
    return match ? Number(match[1] ?? 1) : []
  })
  const last = Math.max(0, ...numbers)
  return {
    latest: last === 0 ? undefined : generationPath(folder, name, last),
    next: generationPath(folder, name, last + 1),
  }
}

/** The shard of a ledger, by its name. */
export function shardIn(name: string): Shard | undefined {
  const [, nth, of] = /\.(\d+)-of-(\d+)$/.exec(name) ?? []
  return of === undefined ? undefined : { index: Number(nth) - 1, of: Number(of) }
}

/** The file in which `svc uploads rebuild` writes a ledger, until it is complete and takes the place of the ledger. */
export const draftOf = (file: string): string => `${file}${draftEnding}`
const ledgerEnding = '.jsonl'
const draftEnding = '.rebuild'

/** Which ledgers are meant: those of a target, of a project, or all. */
export interface LedgersOf {
  target?: Target | undefined
  project?: string | undefined
}

const startOf = ({ target, project }: LedgersOf): string =>
  target ? `${stemOf(target)}.` : project === undefined ? '' : `${projectInNames(project)}.`

export interface LedgerFile {
  path: string
  header: Header
}

/**
 * The ledger files in a folder, of one target, one project or all, sorted by name. A missing folder has none.
 *
 * @throws {BulkError} for a file without entries that is not in `skipped`
 */
export function ledgerFiles(
  disk: Disk,
  folder: string,
  { target, project, skipped = [] }: LedgersOf & { skipped?: readonly string[] | undefined } = {},
): LedgerFile[] {
  const paths = pathsIn(disk, folder, startOf({ target, project }), ledgerEnding).filter(
    (path) => !skipped.includes(path),
  )
  return paths.map((path) => {
    const header = headerOf(disk, path, target)
    if (header) return { path, header }
    throw emptied(path, basename(path).split('.', 1)[0] ?? '')
  })
}

/** The services and projects of the ledgers in a folder. */
export const ledgerTargets = (disk: Disk, folder: string): Target[] =>
  ledgerFiles(disk, folder).map(({ header }) => header)

/** The base URLs and shards of the ledgers that a folder has for a project; undefined if one cannot be read. */
export function ledgersOf(
  folder: string,
  project: string,
  disk: Disk = nodeDisk,
): { baseUrl: string; shard: Shard | undefined }[] | undefined {
  try {
    return ledgerFiles(disk, folder, { project }).map(({ header }) => ({
      baseUrl: normalTarget(header).baseUrl,
      shard: header.shard,
    }))
  } catch {
    return undefined
  }
}

/** The files of a target, or of a project or all, that lost their entries, and those of rebuilds that have not ended. */
export const emptiedFiles = (folder: string, { target, project }: LedgersOf = {}, disk: Disk = nodeDisk): string[] => {
  const start = startOf({ target, project })
  const lost = pathsIn(disk, folder, start, ledgerEnding).filter((path) => !headerOf(disk, path, undefined))
  return [...lost, ...pathsIn(disk, folder, start, draftOf(ledgerEnding))]
}

/** A rebuild that was interrupted, or still runs. */
export interface UnfinishedRebuild {
  /** The file that it left. */
  path: string
  /** The service and the project; undefined if the file does not say it. */
  target: Target | undefined
}

/** The rebuilds in a folder that were interrupted, or still run. Ledgers are read without them. */
export const unfinishedRebuilds = (folder: string, disk: Disk = nodeDisk): UnfinishedRebuild[] =>
  pathsIn(disk, folder, '', draftOf(ledgerEnding)).map((path) => ({ path, target: firstLineOf(disk, path) }))

/** The events of a rebuild that has not ended: those that were written whole. */
export const draftEvents = (disk: Disk, path: string): LedgerEvent[] =>
  [...wholeLines(disk, path)].flatMap(({ text }) => parseEvent(text) ?? [])

/** The `stemOf` part of the name of a ledger file. */
export const stemIn = (path: string): string => basename(path).split('.', 2).join('.')

const pathsIn = (disk: Disk, folder: string, start: string, ending: string): string[] =>
  namesIn(disk, folder)
    .filter((name) => name.endsWith(ending) && name.startsWith(start))
    .sort()
    .map((name) => join(folder, name))

function namesIn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** The first line of a ledger file; undefined if the file has no entries. */
function headerOf(disk: Disk, path: string, target: Target | undefined): Header | undefined {
  const [first, second] = wholeLines(disk, path, { chunkBytes: 4096 })
  if (!first) return undefined
  const given = String(parseObject(first.text)?.schema)
  if (given !== schema && /^svc\/ledger@\d+$/.test(given)) throw otherVersion(path, given)
  const header = headerIn(first.text)
  if (header?.schema !== schema) throw damaged(path, 1, target?.project)
  if (target && stemOf(header) !== stemOf(target)) throw otherTarget(path, header, normalTarget(target))
  return second && header
}

/** A draft that cannot be read stands in nobody's way; whoever needs it gets the error. */
function firstLineOf(disk: Disk, path: string): Header | undefined {
  try {
    const [first] = wholeLines(disk, path, { chunkBytes: 4096 })
    return first && headerIn(first.text)
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code === 'string') return undefined
    throw error
  }
}

function headerIn(line: string): Header | undefined {
  const header = parseObject(line) as Header | undefined
  return typeof header?.baseUrl === 'string' && typeof header.project === 'string' ? header : undefined
}

/** The events of files in the order in which they were written. */
export function* eventsOf(disk: Disk, files: readonly LedgerFile[]): Generator<LedgerEvent, void, undefined> {
  const heads = files.flatMap((file) => {
    const rest = eventsIn(disk, file)
    const event = rest.next().value
    return event ? [{ rest, event }] : []
  })
  while (heads.length > 0) {
    const head = heads.reduce((first, each) => (isBefore(each.event, first.event) ? each : first))
    yield head.event
    const next = head.rest.next().value
    if (next) head.event = next
    else heads.splice(heads.indexOf(head), 1)
  }
}

/** Awaited now and then in long work, so that signals and timers can act. Its rejection ends the work. */
export type Checkpoint = () => Promise<void>

const eventsAtOnce = 1_000

/** Call back with each event of files, in the order in which they were written. Rejects as the checkpoint does. */
export async function eachEvent(
  disk: Disk,
  files: readonly LedgerFile[],
  act: (event: LedgerEvent) => void,
  checkpoint: Checkpoint | undefined,
): Promise<void> {
  let events = 0
  for (const event of eventsOf(disk, files)) {
    act(event)
    if (checkpoint && ++events % eventsAtOnce === 0) await checkpoint()
  }
}

/** If two writers gave the same number, an intent comes before the event that may close it. */
const isBefore = (a: LedgerEvent, b: LedgerEvent): boolean =>
  a.n !== b.n ? a.n < b.n : a.event === 'intent' && b.event !== 'intent'

function* eventsIn(disk: Disk, { path, header }: LedgerFile): Generator<LedgerEvent, void, undefined> {
  for (const { text, number } of wholeLines(disk, path)) {
    if (number === 1) continue
    const event = parseEvent(text)
    if (event) yield event
    // After a loss of power, zeros may stand in place of what was not synced: it is missing, as a torn last line is.
    else if (!text.includes('\0')) throw damaged(path, number, header.project)
  }
}

interface Line {
  text: string
  /** From 1. */
  number: number
}

/** The lines that a file has when it is opened, from a byte on. Text after the last line break is ignored. */
export function* wholeLines(
  disk: Disk,
  path: string,
  { chunkBytes = 1 << 20, start = 0 } = {},
): Generator<Line, void, undefined> {
  const file = disk.open(path, 'read')
  try {
    const size = file.size()
    let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size - start, chunkBytes)))
    let held = 0
    let number = 0
    for (let at = start; at < size; ) {
      if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      const read = file.read(buffer, held, Math.min(size - at, buffer.length - held), at)
      if (read === 0) return
      at += read
      // Without what an earlier chunk left behind it.
      const filled = buffer.subarray(0, held + read)
      let from = 0
      for (let to = filled.indexOf(10, held); to !== -1; to = filled.indexOf(10, from)) {
        yield { text: filled.toString('utf8', from, to), number: ++number }
        from = to + 1
      }
      buffer.copyWithin(0, from, filled.length)
      held = filled.length - from
    }
  } finally {
    file.close()
  }
}

/** The events that a file has got since it had so many bytes, which are whole lines. A file that is gone has none. */
export function eventsAfter(disk: Disk, path: string, start: number): LedgerEvent[] {
  try {
    return [...wholeLines(disk, path, { start })].flatMap(({ text }) => parseEvent(text) ?? [])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The uploads of one run. */
interface Run {
  run: string
  project: string
  startedAt: string
  endedAt: string
  /** Intents: each upload counts once, also if it was sent again, and if it was not sent after all (`unsent`). */
  sent: number
  done: number
  refused: number
  unsent: number
  unknown: number
}

/** All that the ledger files of one target say. */
export interface TargetLedger {
  /** The service and the project. */
  target: Target
  /** The files: one or more for each shard. */
  files: LedgerFile[]
  /** The items, in the order of their last events. */
  items: Item[]
  /** The runs, in the order of their first events. */
  runs: Run[]
}

/**
 * Read every ledger in a folder, or those of one project, except the files `skipped`, the shards of a target as one. Takes
 * no lock. A missing folder has none. Rejects with a BulkError if a ledger cannot be read.
 */
export async function readLedgers(
  folder: string,
  { skipped = [], project, disk = nodeDisk, checkpoint }: ReadOptions & { project?: string | undefined } = {},
): Promise<TargetLedger[]> {
  try {
    const groups = grouped(ledgerFiles(disk, folder, { project, skipped }), ({ header }) => stemOf(header))
    const ledgers: TargetLedger[] = []
    for (const files of groups.values()) ledgers.push(await targetLedgerOf(disk, files, checkpoint))
    return ledgers
  } catch (error) {
    throw cannotRead(folder, error)
  }
}

/** Options of reading ledgers. */
export interface ReadOptions {
  /** Paths of files that are not read, such as `emptiedFiles`. */
  skipped?: readonly string[] | undefined
  /** Default: `nodeDisk`. */
  disk?: Disk
  /** Awaited now and then, so that signals and timers can act. Its rejection ends the reading. */
  checkpoint?: Checkpoint | undefined
}

async function targetLedgerOf(
  disk: Disk,
  files: LedgerFile[],
  checkpoint: Checkpoint | undefined,
): Promise<TargetLedger> {
  const { baseUrl = '', project = '' } = files[0]?.header ?? {}
  const target = normalTarget({ baseUrl, project })
  const items = new Map<string, Item>()
  const runs = new Map<string, Run>()
  const add = (event: LedgerEvent) => {
    const item = fold(items.get(event.key), event)
    // Inserted again, so that the items are in the order of their last events.
    items.delete(event.key)
    if (item) items.set(event.key, item)
    countEvent(runs, event, target.project)
  }
  await eachEvent(disk, files, add, checkpoint)
  return { target, files, items: [...items.values()], runs: [...runs.values()] }
}

function countEvent(runs: Map<string, Run>, { run, at, event }: LedgerEvent, project: string): void {
  // Those of no upload.
  if (event === 'replaced' || event === 'rebuilt') return
  const none = { sent: 0, done: 0, refused: 0, unsent: 0, unknown: 0 }
  const tally = runs.get(run) ?? { run, project, startedAt: at, endedAt: at, ...none }
  tally.endedAt = at
  if (event === 'intent') tally.sent++
  else if (event === 'absent') tally.unsent++
  // The intent of a `sent` was counted.
  else if (event !== 'sent' && event in none) tally[event as keyof typeof none]++
  runs.set(run, tally)
}

/** The events of one item, the oldest first. */
export function historyOf({ files }: TargetLedger, key: string, disk: Disk = nodeDisk): LedgerEvent[] {
  return [...eventsOf(disk, files)].filter((event) => event.key === key)
}

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stateFolderOf } from '../config/index.js'
import type { Shard } from '../shard.js'
import { type Header, type LedgerEvent, parseEvent, parseObject, schema } from './events.js'
import { damaged, emptied, tooNew } from './failure.js'
import { normalTarget, type Target } from './identity.js'

/** The folder of the ledgers: the flag's, else `uploads` in the state folder; undefined where there is no home at all. */
export function ledgerFolder(env: Record<string, string | undefined>, flag: string | undefined): string | undefined {
  const state = stateFolderOf(env)
  return flag ?? (state === undefined ? undefined : join(state, 'uploads'))
}

/** The name that all files of a target begin with. */
export function stemOf(target: Target): string {
  const { baseUrl, project } = normalTarget(target)
  return `${project.replace(/[^\w-]/g, '_')}.${hash('sha256', baseUrl).slice(0, 8)}`
}

/** The file of a target and shard, without its ending. */
export const nameOf = (stem: string, shard: Shard | undefined): string =>
  `${stem}${shard ? `.${shard.index + 1}-of-${shard.of}` : ''}`

/** A file with what its first line says. */
export interface LedgerFile {
  path: string
  header: Header
}

/**
 * The ledger files in a folder, of one target or of all, sorted by name; none if there is no folder. Throws a CliError for
 * a file without entries that is not to be skipped.
 */
export function ledgerFiles(folder: string, target?: Target, skipped: readonly string[] = []): LedgerFile[] {
  const paths = pathsIn(folder, target && `${stemOf(target)}.`).filter((path) => !skipped.includes(path))
  return paths.map((path) => {
    const header = headerOf(path, target)
    if (header) return { path, header }
    throw emptied(path, basename(path).split('.', 1)[0] ?? '')
  })
}

/** Files that should be ledgers and hold no entries, because their content was lost; of all names with this beginning. */
export const emptiedFiles = (folder: string, start = ''): string[] =>
  pathsIn(folder, start).filter((path) => !headerOf(path, undefined))

/** What `stemOf` gave for the target of a ledger file. */
export const stemIn = (path: string): string => basename(path).split('.', 2).join('.')

const pathsIn = (folder: string, start = ''): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.jsonl') && name.startsWith(start))
    .sort()
    .map((name) => join(folder, name))

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** What a ledger file is of; undefined if it holds no entries. */
function headerOf(path: string, target: Target | undefined): Header | undefined {
  const [first, second] = wholeLines(path, 4096)
  if (!first) return undefined
  const header = parseObject(first.text) as Header | undefined
  const version = /^svc\/ledger@(\d+)$/.exec(header?.schema ?? '')?.[1]
  if (header && version && Number(version) > 1) throw tooNew(path, header.schema)
  const known = header?.schema === schema && typeof header.baseUrl === 'string' && typeof header.project === 'string'
  if (!header || !known || (target && stemOf(header) !== stemOf(target))) throw damaged(path, 1, target?.project)
  return second && header
}

/** An event, and the file that it stands in. */
export interface Told {
  event: LedgerEvent
  path: string
}

/** The events of files in the order in which they were written. */
export function* eventsOf(files: readonly LedgerFile[]): Generator<Told, void, undefined> {
  const heads = files.flatMap((file) => {
    const rest = eventsIn(file)
    const first = rest.next().value
    return first ? [{ rest, event: first, path: file.path }] : []
  })
  while (heads.length > 0) {
    const [first] = heads
    if (!first) return
    const head = heads.length === 1 ? first : heads.reduce((least, each) => (isBefore(each, least) ? each : least))
    yield head
    const next = head.rest.next().value
    if (next) head.event = next
    else heads.splice(heads.indexOf(head), 1)
  }
}

/** Of two that neither writer had read of the other, an intent comes before what may close it. */
const isBefore = ({ event: one }: Told, { event: other }: Told): boolean =>
  one.n !== other.n ? one.n < other.n : one.event === 'intent' && other.event !== 'intent'

function* eventsIn({ path, header }: LedgerFile): Generator<LedgerEvent, void, undefined> {
  for (const { text, number } of wholeLines(path)) {
    if (number === 1) continue
    const event = parseEvent(text)
    if (!event) throw damaged(path, number, header.project)
    yield event
  }
}

/** A whole line of a file, its number from 1, and where the next one begins, in bytes. */
export interface Line {
  text: string
  number: number
  end: number
}

/** The whole lines that a file has when it is opened: what stands behind the last line break is none. */
export function* wholeLines(path: string, chunkBytes = 1 << 20): Generator<Line, void, undefined> {
  const fd = openSync(path, 'r')
  try {
    let buffer = Buffer.allocUnsafe(chunkBytes)
    let held = 0
    let end = 0
    let number = 0
    let { size: left } = fstatSync(fd)
    while (left > 0) {
      if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      const read = readSync(fd, buffer, held, Math.min(left, buffer.length - held), null)
      if (read === 0) return
      left -= read
      const filled = held + read
      let from = 0
      for (let to = buffer.indexOf(10, held); to !== -1 && to < filled; to = buffer.indexOf(10, from)) {
        end += to + 1 - from
        yield { text: buffer.toString('utf8', from, to), number: ++number, end }
        from = to + 1
      }
      buffer.copyWithin(0, from, filled)
      held = filled - from
    }
  } finally {
    closeSync(fd)
  }
}

import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Shard } from '../shard.js'
import { type Header, parseObject, schema } from './events.js'
import { damaged, emptied, tooNew } from './failure.js'
import { normalTarget, type Target } from './identity.js'
import { wholeLines } from './lines.js'

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

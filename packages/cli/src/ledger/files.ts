import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Shard } from '../shard.js'
import { type Header, parseObject, schema } from './events.js'
import { damaged, tooNew } from './failure.js'
import { normalTarget, type Target } from './identity.js'
import { wholeLines } from './lines.js'

/** The name that all files of a target begin with. */
export function stemOf(target: Target): string {
  const { baseUrl, project } = normalTarget(target)
  return `${project.replace(/[^\w-]/g, '_')}.${hash('sha256', baseUrl).slice(0, 8)}`
}

/** The file of a target and shard, without its ending. */
export const nameOf = (target: Target, shard: Shard | undefined): string =>
  `${stemOf(target)}${shard ? `.${shard.index + 1}-of-${shard.of}` : ''}`

/** A file with what its first line says; no header where the first line was never finished. */
export interface LedgerFile {
  path: string
  header: Header | undefined
}

/** The ledger files in a folder, of one target or of all, in the order of their names; none where there is no folder. */
export function ledgerFiles(folder: string, target?: Target): LedgerFile[] {
  const stem = target && `${stemOf(target)}.`
  return namesIn(folder)
    .filter((name) => name.endsWith('.jsonl') && (stem === undefined || name.startsWith(stem)))
    .sort()
    .map((name) => ({ path: join(folder, name), header: headerOf(join(folder, name), target) }))
    .filter(({ header }) => header || target)
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

function headerOf(path: string, target: Target | undefined): Header | undefined {
  const [first] = wholeLines(path, 4096)
  if (!first) return undefined
  const header = parseObject(first.text) as Header | undefined
  const version = /^svc\/ledger@(\d+)$/.exec(header?.schema ?? '')?.[1]
  if (header && version && Number(version) > 1) throw tooNew(path, header.schema)
  const known = header?.schema === schema && typeof header.baseUrl === 'string' && typeof header.project === 'string'
  if (!header || !known || (target && stemOf(header) !== stemOf(target))) throw damaged(path, 1, target?.project)
  return header
}

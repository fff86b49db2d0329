import { fold, type Item, type LedgerEvent } from './events.js'
import { eventsOf, type LedgerFile, ledgerFiles, stemOf } from './files.js'
import { normalTarget, type Target } from './identity.js'

/** The uploads of one run. */
export interface Run {
  run: string
  project: string
  startedAt: string
  endedAt: string
  sent: number
  done: number
  refused: number
  unsent: number
  unknown: number
}

export interface TargetLedger {
  target: Target
  files: LedgerFile[]
  items: Item[]
  runs: Run[]
}

/** Read every ledger in a folder except `skipped`, the shards of a target as one. Takes no lock. */
export function readLedgers(folder: string, skipped: readonly string[] = []): TargetLedger[] {
  const groups = new Map<string, LedgerFile[]>()
  for (const file of ledgerFiles(folder, undefined, skipped)) {
    const stem = stemOf(file.header)
    groups.set(stem, [...(groups.get(stem) ?? []), file])
  }
  return [...groups.values()].map(targetLedgerOf)
}

function targetLedgerOf(files: LedgerFile[]): TargetLedger {
  const { baseUrl = '', project = '' } = files[0]?.header ?? {}
  const target = normalTarget({ baseUrl, project })
  const items = new Map<string, Item>()
  const runs = new Map<string, Run>()
  for (const event of eventsOf(files)) {
    const item = fold(items.get(event.key), event)
    // Inserted again, so that the items are in the order of their last events.
    items.delete(event.key)
    if (item) items.set(event.key, item)
    countEvent(runs, event, target.project)
  }
  return { target, files, items: [...items.values()], runs: [...runs.values()] }
}

function countEvent(runs: Map<string, Run>, { run, at, event }: LedgerEvent, project: string): void {
  const none = { sent: 0, done: 0, refused: 0, unsent: 0, unknown: 0 }
  const known = runs.get(run) ?? { run, project, startedAt: at, endedAt: at, ...none }
  known.endedAt = at
  if (event === 'intent') known.sent++
  else if (event !== 'forgotten' && event !== 'retry') known[event]++
  runs.set(run, known)
}

/** The events of one item, the oldest first. */
export function historyOf({ files }: TargetLedger, key: string): LedgerEvent[] {
  return [...eventsOf(files)].filter((event) => event.key === key)
}

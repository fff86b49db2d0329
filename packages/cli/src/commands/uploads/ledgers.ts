import { type Item, readLedgers, type Target, type TargetLedger } from '@svc/bulk'
import { changeItems, noLedgerFolder, unfinishedRebuilds } from '@svc/bulk/parts'
import { placeText, shellLine } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Column } from '../../output/index.js'
import { leaseNote, ledgerFolderOf } from '../ledger-folder.js'

export interface LedgerFlags {
  ledger?: string
  project?: string
}

export interface Entry {
  ledger: TargetLedger
  item: Item
}

export function folderOf({ io }: Context, { ledger }: LedgerFlags): string {
  const folder = ledgerFolderOf(io, ledger)
  if (folder !== undefined) return folder
  throw noLedgerFolder()
}

/**
 * The ledgers in the folder, or those of one project, without `emptied`. Says which rebuilds have not ended: their entries
 * are in no ledger yet.
 */
export async function readLedgersFor(
  context: Context,
  flags: LedgerFlags,
  emptied: readonly string[] = [],
): Promise<TargetLedger[]> {
  const { checkpoint, environment } = context.io
  const folder = folderOf(context, flags)
  const { project, ledger } = flags
  if (ledger !== undefined && !context.io.isThere(context.io.resolve(ledger)))
    context.say(`note: ${ledger}: there is no ledger yet`)
  const ledgers = await readLedgers(folder, { ...environment, project, skipped: emptied, checkpoint })
  for (const { path, target } of unfinishedRebuilds(folder, environment?.disk)) {
    const again = target && `\`${rebuildCommandOf(folder, target)}\` ends it; `
    context.say(
      `note: not read: ${path}, of a rebuild that was interrupted or still runs. ${again ?? ''}remove the file to do without it`,
    )
  }
  return ledgers
}

/** The command that rebuilds the ledger of a target, wherever the settings of the user point. */
const rebuildCommandOf = (folder: string, { baseUrl, project }: Target): string =>
  `${shellLine([`SVC_PUBLIC_BASE_URL=${baseUrl}`, 'svc', 'uploads', 'rebuild', '--ledger', folder, '--project', project])}`

export const entriesOf = (ledgers: readonly TargetLedger[]): Entry[] =>
  ledgers.flatMap((ledger) => ledger.items.map((item) => ({ ledger, item })))

/** The entry that a key, the beginning of one, or the id of a transcript means. */
export function findEntry(entries: readonly Entry[], word: string): Entry {
  if (word === '') {
    throw new CliError(exit.usage, 'A key must not be empty.', { hint: '`svc uploads list` shows the keys' })
  }
  const matches = entries.filter(({ item }) => item.ids.includes(word) || item.key.startsWith(word.toLowerCase()))
  const exact = matches.find(({ item }) => item.key === word.toLowerCase())
  const [first, second] = matches
  if (exact) return exact
  if (first && !second) return first
  if (!first) {
    throw new CliError(exit.notFound, `The ledger has no item ${word}.`, {
      hint: '`svc uploads list` shows the keys; --ledger DIR names another folder',
    })
  }
  throw new CliError(exit.usage, `${word} matches more than one item.`, {
    details: matches.slice(0, 10).map(({ item }) => `${item.key} ${item.state} ${item.name ?? ''}`.trimEnd()),
    hint: 'use more characters of the key',
  })
}

export function chosen(ledgers: readonly TargetLedger[], words: readonly string[]): Entry[] {
  const entries = entriesOf(ledgers)
  return [...new Set(words.map((word) => findEntry(entries, word)))]
}

export const itemColumns: Column[] = [
  'STATE',
  'ID',
  { title: 'TURNS', drop: 1 },
  { title: 'NAME', least: 24 },
  { title: 'FROM', least: 16, drop: 2 },
  { title: 'AT', drop: 4, isTime: true },
  { title: 'KEY', least: 8, drop: 3 },
]

export function itemRow({ item }: Entry): string[] {
  const { state, ids, turns, name = '', at, key, intent } = item
  const from = intent ? placeText(intent) : ''
  return [state, ids.at(-1) ?? '', turns === undefined ? '' : String(turns), name, from, at, key]
}

export function itemJson({ item, ledger }: Entry) {
  const { key, state, ids, status, refusal, candidates, name, turns, externalId, intent, at, sentAt, run } = item
  return {
    schema: 'svc/upload-item@1',
    key,
    state,
    id: ids.at(-1) ?? null,
    ids,
    processing_status: status ?? null,
    refused_with: state === 'refused' ? (refusal ?? null) : null,
    candidates,
    name: name ?? null,
    turn_count: turns ?? null,
    external_id: externalId ?? null,
    path: intent?.path ?? null,
    record: intent?.record ?? null,
    occurrence: intent?.occurrence ?? null,
    part: intent?.part ?? null,
    project: ledger.target.project,
    base_url: ledger.target.baseUrl,
    sent_at: sentAt ?? null,
    at,
    run,
  }
}

/** Record an event of items in their ledgers, unless their state has changed. Returns the changed ones. */
export async function change(
  context: Context,
  folder: string,
  entries: readonly Entry[],
  event: 'retry' | 'forgotten',
  mayStill?: (item: Item) => boolean,
): Promise<Entry[]> {
  const { checkpoint, clock, environment, stop } = context.io
  const changed: Entry[] = []
  for (const ledger of new Set(entries.map((entry) => entry.ledger))) {
    const items = entries.filter((entry) => entry.ledger === ledger).map(({ item }) => item)
    const work = { ...environment, folder, target: ledger.target, checkpoint, clock, stop, onLease: leaseNote(context) }
    for (const item of await changeItems(work, items, event, mayStill)) changed.push({ ledger, item })
  }
  return changed
}

/** The closing line: of those that were named, how many were changed. */
export const changeSummary = (named: readonly Entry[], changed: readonly Entry[]) => ({
  schema: 'svc/uploads-change-summary@1',
  total: named.length,
  changed: changed.length,
})

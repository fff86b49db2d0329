import { BulkError, changeItems, type Item, readLedgers, type TargetLedger } from '@svc/bulk'
import { placeText } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Column } from '../../output/index.js'
import { ledgerFolderOf } from '../ledger-folder.js'

export interface LedgerFlags {
  ledger?: string
  project?: string
}

export interface Entry {
  book: TargetLedger
  item: Item
}

export function folderOf({ io }: Context, { ledger }: LedgerFlags): string {
  const folder = ledgerFolderOf(io, ledger)
  if (folder !== undefined) return folder
  throw new BulkError('no_ledger_folder', 'Cannot keep an upload ledger: there is no home folder. Nothing was sent.', {
    hint: 'choose a writable folder with --ledger DIR or SVC_STATE_DIR',
  })
}

/** The entries of all ledgers in the folder, or of one project; `emptied` are skipped. */
export async function booksOf(
  context: Context,
  flags: LedgerFlags,
  emptied: readonly string[] = [],
): Promise<TargetLedger[]> {
  const project = flags.project?.toLowerCase()
  const { checkpoint, environment } = context.io
  const books = await readLedgers(folderOf(context, flags), { ...environment, skipped: emptied, checkpoint })
  return books.filter(({ target }) => project === undefined || target.project === project)
}

export const entriesOf = (books: readonly TargetLedger[]): Entry[] =>
  books.flatMap((book) => book.items.map((item) => ({ book, item })))

/** The entry that a key, the beginning of one, or the id of a transcript means. */
export function findEntry(entries: readonly Entry[], word: string): Entry {
  if (word === '') {
    throw new CliError(exit.usage, 'A key must not be empty.', { hint: '`svc uploads list` shows the keys' })
  }
  const found = entries.filter(({ item }) => item.ids.includes(word) || item.key.startsWith(word.toLowerCase()))
  const exact = found.find(({ item }) => item.key === word.toLowerCase())
  const [first, second] = found
  if (exact) return exact
  if (first && !second) return first
  if (!first) {
    throw new CliError(exit.notFound, `The ledger has no item ${word}.`, {
      hint: '`svc uploads list` shows the keys; --ledger DIR names another folder',
    })
  }
  throw new CliError(exit.usage, `${word} matches more than one item.`, {
    details: found.slice(0, 10).map(({ item }) => `${item.key} ${item.state} ${item.name ?? ''}`.trimEnd()),
    hint: 'use more characters of the key',
  })
}

export function chosen(books: readonly TargetLedger[], words: readonly string[]): Entry[] {
  const entries = entriesOf(books)
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

export function itemJson({ item, book }: Entry) {
  const { key, state, ids, status, refusal, candidates, name, turns, intent, at, sentAt, run } = item
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
    external_id: intent?.externalId ?? null,
    path: intent?.path ?? null,
    record: intent?.record ?? null,
    occurrence: intent?.occurrence ?? null,
    part: intent?.part ?? null,
    project: book.target.project,
    base_url: book.target.baseUrl,
    sent_at: sentAt ?? null,
    at,
    run,
  }
}

/** Record an event of items in their ledgers, unless their state has changed. Returns the changed ones. */
export async function change(
  { io: { checkpoint, clock, environment } }: Context,
  folder: string,
  entries: readonly Entry[],
  event: 'retry' | 'forgotten',
  mayStill?: (item: Item) => boolean,
): Promise<Entry[]> {
  const changed: Entry[] = []
  for (const book of new Set(entries.map((entry) => entry.book))) {
    const items = entries.filter((entry) => entry.book === book).map(({ item }) => item)
    const work = { ...environment, folder, target: book.target, checkpoint, clock }
    for (const item of await changeItems(work, items, event, mayStill)) changed.push({ book, item })
  }
  return changed
}

/** The closing line: of those that were named, how many were changed. */
export const changeSummary = (named: readonly Entry[], changed: readonly Entry[]) => ({
  schema: 'svc/uploads-change-summary@1',
  total: named.length,
  changed: changed.length,
})

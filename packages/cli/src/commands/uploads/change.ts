import { rmSync } from 'node:fs'
import { type Context, canAsk } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { emptiedFiles, fold, type Item, lock, openLedger, stemIn } from '../../ledger/index.js'
import { printJsonLine } from '../../output/index.js'
import { count } from '../../terminal/index.js'
import type { Work } from '../act.js'
import { booksOf, chosen, type Entry, entriesOf, folderOf, itemJson, type LedgerFlags } from './books.js'

export const retryUploads: Work<[string[]], LedgerFlags> = async (context, [words], flags) => {
  const entries = chosen(booksOf(context, flags), words)
  const problems = entries.flatMap(({ item }) => problemOf(item))
  if (problems.length > 0) {
    throw new CliError(exit.input, 'Not everything named here may be sent again; nothing was changed.', {
      details: problems,
      hint: '`svc uploads reconcile` looks for what is open; `svc upload --again` sends what is stored',
    })
  }
  const changed = await change(
    context,
    folderOf(context, flags),
    entries,
    'retry',
    (item) => problemOf(item).length === 0,
  )
  if (context.flags.json) {
    for (const entry of changed) printJsonLine(context, itemJson(entry))
    printJsonLine(context, changeSummary(entries, changed))
  }
  context.say(`${count(changed.length, 'item')} will be sent again by the next upload of the same input`)
  return undefined
}

function problemOf({ state, ids, key, name = '' }: Item): string[] {
  if (ids.length > 0) return [`${key} ${name} is stored as ${ids.join(', ')}`]
  return state === 'open' ? [`${key} ${name} was sent, and nobody has looked what became of it`] : []
}

export interface ForgetFlags extends LedgerFlags {
  all?: boolean
  yes?: boolean
}

export const forgetUploads: Work<[string[]], ForgetFlags> = async (context, [words], flags) => {
  if (words.length > 0 === (flags.all ?? false)) {
    throw new CliError(exit.usage, 'Give the keys of the items to forget, or --all.', {
      hint: '`svc uploads list` shows the keys',
    })
  }
  const folder = folderOf(context, flags)
  const emptied = flags.all ? emptiedFiles(folder, flags.project && `${flags.project.toLowerCase()}.`) : []
  const books = booksOf(context, flags, flags.all ? emptiedFiles(folder) : [])
  const entries = flags.all ? entriesOf(books) : chosen(books, words)
  const isAgreed = entries.length + emptied.length === 0 || flags.yes || (await agrees(context, entries, emptied))
  const forgotten = isAgreed ? await change(context, folder, entries, 'forgotten') : []
  if (isAgreed) for (const path of emptied) await removeEmptied(context, folder, path)
  if (context.flags.json) {
    for (const { item } of forgotten)
      printJsonLine(context, { schema: 'svc/upload-forgotten@1', key: item.key, ids: item.ids })
    printJsonLine(context, changeSummary(entries, forgotten))
  }
  context.say(isAgreed ? `${count(forgotten.length, 'item')} forgotten` : 'nothing was forgotten')
  return undefined
}

/** A ledger without entries can only be removed; not while a process that may write it runs. */
async function removeEmptied(context: Context, folder: string, path: string): Promise<void> {
  const unlock = await lock(folder, stemIn(path), undefined, new Date(context.now()).toISOString())
  try {
    if (emptiedFiles(folder).includes(path)) rmSync(path)
  } finally {
    unlock()
  }
  context.say(`removed the damaged ledger ${path}`)
}

async function agrees(context: Context, entries: readonly Entry[], emptied: readonly string[]): Promise<boolean> {
  if (!canAsk(context)) {
    const items = [
      ...(entries.length > 0 ? [count(entries.length, 'item')] : []),
      ...(emptied.length > 0 ? [count(emptied.length, 'damaged ledger')] : []),
    ]
    throw new CliError(exit.usage, `Confirmation required to forget ${items.join(' and ')}. Add --yes.`, {
      details: [...emptied],
    })
  }
  const stored = entries.filter(({ item }) => item.ids.length > 0).length
  const lost =
    emptied.length > 0 ? ` What ${count(emptied.length, 'damaged ledger')} held would be uploaded again.` : ''
  const what = `Forget ${count(entries.length, 'item')}? ${stored} of them are stored and would be uploaded again.${lost}`
  return /^y(es)?$/i.test((await context.io.ask(`${what} [y/N] `, false)).trim())
}

/** Notes an event of items in their ledgers, where it may still be noted once they are locked; gives back which. */
export async function change(
  { now }: Context,
  folder: string,
  entries: readonly Entry[],
  event: 'retry' | 'forgotten',
  mayStill: (item: Item) => boolean = () => true,
): Promise<Entry[]> {
  const changed: Entry[] = []
  for (const book of new Set(entries.map((entry) => entry.book))) {
    const ledger = await openLedger({ folder, target: book.target, now })
    try {
      for (const { item } of entries.filter((entry) => entry.book === book)) {
        const present = ledger.item(item.key)
        if (!present || !mayStill(present)) continue
        ledger.append({ event, key: item.key })
        const stamp = { n: 0, at: new Date(now()).toISOString(), run: item.run }
        changed.push({ book, item: fold(item, { ...stamp, event, key: item.key }) ?? item })
      }
    } finally {
      await ledger.release()
    }
  }
  return changed
}

/** The closing line: of those that were named, how many were changed. */
export const changeSummary = (named: readonly Entry[], changed: readonly Entry[]) => ({
  schema: 'svc/uploads-change-summary@1',
  total: named.length,
  changed: changed.length,
})

import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { printJsonLine } from '../../output.js'
import { canAsk } from '../../settings/can-ask.js'
import { count } from '../../text.js'
import type { Work } from '../act.js'
import { booksOf, chosen, type Entry, entriesOf, folderOf, type LedgerFlags } from './books.js'
import { change, changeSummary } from './change.js'

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
  const books = booksOf(context, flags)
  const entries = flags.all ? entriesOf(books) : chosen(books, words)
  const isAgreed = entries.length === 0 || flags.yes || (await agrees(context, entries))
  const forgotten = isAgreed ? await change(context, folderOf(context, flags), entries, 'forgotten') : []
  if (context.flags.json) {
    for (const { item } of forgotten)
      printJsonLine(context, { schema: 'svc/upload-forgotten@1', key: item.key, ids: item.ids })
    printJsonLine(context, changeSummary(entries, forgotten))
  }
  context.say(isAgreed ? `${count(forgotten.length, 'item')} forgotten` : 'nothing was forgotten')
  return undefined
}

async function agrees(context: Context, entries: readonly Entry[]): Promise<boolean> {
  if (!canAsk(context)) {
    throw new CliError(exit.usage, `Forgetting ${count(entries.length, 'item')} has to be agreed to.`, {
      hint: 'give --yes',
    })
  }
  const stored = entries.filter(({ item }) => item.ids.length > 0).length
  const what = `Forget ${count(entries.length, 'item')}? Of these ${stored} are stored, and an upload would store them again.`
  return /^y(es)?$/i.test((await context.io.ask(`${what} [y/N] `, false)).trim())
}

import type { Item } from '@svc/bulk'
import { count } from '@svc/text'
import { CliError, exit } from '../../exit.js'
import { printJsonLine } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { ledgerOption } from '../ledger-folder.js'
import { change, changeSummary, chosen, folderOf, itemJson, type LedgerFlags, readLedgersFor } from './ledgers.js'

export function retryCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('retry <key...>')
    .description('Mark unknown or refused items to be sent again by the next svc upload')
    .addOption(ledgerOption())
    .addHelpText('after', examples('svc uploads retry 3f9c', 'svc uploads retry 3f9c 77ab'))
  setAction(command, retryUploads)
}

const retryUploads: Action<[string[]], LedgerFlags> = async (context, [words], flags) => {
  const entries = chosen(await readLedgersFor(context, flags), words)
  const problems = entries.flatMap(({ item }) => problemOf(item))
  if (problems.length > 0) {
    throw new CliError(exit.input, 'Some of these items must not be sent again; nothing was changed.', {
      details: problems,
      hint: '`svc uploads reconcile` searches for open items; `svc upload --again` sends stored ones again',
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
}

function problemOf({ state, ids, key, name = '' }: Item): string[] {
  if (ids.length > 0) return [`${key} ${name} is stored as ${ids.join(', ')}`]
  return state === 'open' ? [`${key} ${name} was sent, and its result is not known yet`] : []
}

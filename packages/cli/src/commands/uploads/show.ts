import { historyOf } from '@svc/bulk/parts'
import { escapeLine } from '@svc/text'
import { cell, printJson, printRecord } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { ledgerOption } from '../ledger-folder.js'
import { entriesOf, findEntry, itemJson, type LedgerFlags, readLedgersFor } from './ledgers.js'

export function showCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('show <key>')
    .description('Show one item with its history')
    .addOption(ledgerOption())
    .addHelpText('after', examples('svc uploads show 3f9c', 'svc uploads show tr_…'))
  setAction(command, showUpload)
}

const showUpload: Action<[string], LedgerFlags> = async (context, [word], flags) => {
  const { io } = context
  const entry = findEntry(entriesOf(await readLedgersFor(context, flags)), word)
  const events = historyOf(entry.ledger, entry.item.key, io.environment?.disk).map(({ event, at, run, ...rest }) => {
    const { id, status, candidates } = rest as { id?: string; status?: unknown; candidates?: readonly string[] }
    return {
      event,
      at,
      run,
      ...(id && { id }),
      ...(status !== undefined && { status }),
      ...(candidates && { candidates }),
    }
  })
  const record = itemJson(entry)
  if (context.flags.json) return printJson(context, { ...record, events })
  printRecord(context, record, ['schema'])
  for (const { event, at, run: _, ...rest } of events) {
    const what = [event, at, ...Object.values(rest).map(cell)].map(escapeLine)
    io.stdout.write(io.stdout.isTTY ? `${context.style.out('cyan', what.join('  '))}\n` : `event\t${what.join('\t')}\n`)
  }
}

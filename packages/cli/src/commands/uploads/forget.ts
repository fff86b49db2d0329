import { emptiedFiles, removeEmptied } from '@svc/bulk/parts'
import { count } from '@svc/text'
import { agrees, type Context, canAsk } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { printJsonLine } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { leaseNote, ledgerOption } from '../ledger-folder.js'
import {
  change,
  changeSummary,
  chosen,
  type Entry,
  entriesOf,
  folderOf,
  type LedgerFlags,
  readLedgersFor,
} from './ledgers.js'

export function forgetCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('forget [key...]')
    .description('Remove items from the ledger, as if they had never been sent')
    .addOption(ledgerOption())
    .option('--all', 'forget all items')
    .option('--project <id>', 'with --all: only items of this project')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText('after', examples('svc uploads forget 3f9c --yes', 'svc uploads forget --all --project hp-… --yes'))
  setAction(command, forgetUploads)
}

interface ForgetFlags extends LedgerFlags {
  all?: boolean
  yes?: boolean
}

const forgetUploads: Action<[string[]], ForgetFlags> = async (context, [words], flags) => {
  if (words.length > 0 === (flags.all ?? false)) {
    throw new CliError(exit.usage, 'Missing keys of the items to forget, or --all.', {
      hint: '`svc uploads list` shows the keys',
    })
  }
  const folder = folderOf(context, flags)
  const { clock, environment } = context.io
  const emptied = flags.all ? emptiedFiles(folder, { project: flags.project }, environment?.disk) : []
  const ledgers = await readLedgersFor(context, flags, emptied)
  const entries = flags.all ? entriesOf(ledgers) : chosen(ledgers, words)
  const isAgreed = entries.length + emptied.length === 0 || flags.yes || (await isConfirmed(context, entries, emptied))
  const forgotten = isAgreed ? await change(context, folder, entries, 'forgotten') : []
  for (const path of isAgreed ? emptied : []) {
    await removeEmptied(folder, path, { ...environment, clock, stop: context.io.stop, onLease: leaseNote(context) })
    context.say(`removed the damaged ledger ${path}`)
  }
  if (context.flags.json) {
    for (const { item } of forgotten)
      printJsonLine(context, { schema: 'svc/upload-forgotten@1', key: item.key, ids: item.ids })
    printJsonLine(context, changeSummary(entries, forgotten))
  }
  context.say(isAgreed ? `${count(forgotten.length, 'item')} forgotten` : 'nothing was forgotten')
}

async function isConfirmed(context: Context, entries: readonly Entry[], emptied: readonly string[]): Promise<boolean> {
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
    emptied.length > 0 ? ` The items of ${count(emptied.length, 'damaged ledger')} would be uploaded again.` : ''
  const what = `Forget ${count(entries.length, 'item')}? ${stored} of them are stored and would be uploaded again.${lost}`
  return agrees(context, what)
}

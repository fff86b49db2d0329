import { type Command, Option } from 'commander'
import { type Act, does, examples } from '../act.js'
import { upTo } from '../arguments.js'
import { forgetUploads, retryUploads } from './change.js'
import { listUploads, showUpload } from './list.js'
import { rebuildUploads, reconcileUploads } from './reconcile.js'

const states = ['done', 'open', 'unknown', 'refused', 'unsent'] as const

export function uploadsCommand(uploads: Command, act: Act): void {
  const leaf = (name: string, description: string) =>
    uploads
      .command(name)
      .description(description)
      .option('--ledger <dir>', 'folder of the ledgers (default: uploads in the state folder)')

  const list = leaf('list', 'List what was sent, the newest first')
    .option('--project <id>', 'only those to this project')
    .addOption(new Option('--state <state>', 'only those of this state').choices(states))
    .option('--limit <n>', 'items to show (default: 20)', upTo(Infinity))
    .option('--all', 'all of them')
    .option('--runs', 'the runs instead of the items')
    .addHelpText('after', examples('svc uploads list', 'svc uploads list --state unknown --all --json'))
  does(list, act, listUploads)

  const show = leaf('show <key>', 'Show one item with all that happened to it').addHelpText(
    'after',
    examples('svc uploads show 3f9c', 'svc uploads show tr_…'),
  )
  does(show, act, showUpload)

  const reconcile = leaf('reconcile', 'Look at the service for what became of open and unknown items')
    .option('--project <id>', 'only those to this project')
    .addHelpText('after', examples('svc uploads reconcile', 'svc uploads reconcile --project hp-… --json'))
  does(reconcile, act, reconcileUploads)

  const retry = leaf('retry <key...>', 'Have unknown or refused items sent again by the next upload').addHelpText(
    'after',
    examples('svc uploads retry 3f9c', 'svc uploads retry 3f9c 77ab'),
  )
  does(retry, act, retryUploads)

  const forget = leaf('forget [key...]', 'Take items out of the ledger, as if they had never been sent')
    .option('--all', 'all items')
    .option('--project <id>', 'with --all: those to this project')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('svc uploads forget 3f9c --yes', 'svc uploads forget --all --project hp-… --yes'))
  does(forget, act, forgetUploads)

  const rebuild = leaf('rebuild', 'Note as stored what bears a stamp at the service, for a ledger that was lost')
    .option('--project <id>', 'project (default: SVC_PROJECT)')
    .addHelpText('after', examples('svc uploads rebuild', 'svc uploads rebuild --project hp-…'))
  does(rebuild, act, rebuildUploads)
}

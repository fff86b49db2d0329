import { count } from '@svc/text'
import { Option } from 'commander'
import type { Context } from '../../context.js'
import { drained } from '../../io/index.js'
import { type Column, printJsonLine, printRows } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { type PageFlags, withPaging } from '../flags.js'
import { ledgerOption } from '../ledger-folder.js'
import { type Entry, entriesOf, itemColumns, itemJson, itemRow, type LedgerFlags, readLedgersFor } from './ledgers.js'

const states = ['done', 'open', 'unknown', 'refused', 'unsent', 'unidentified'] as const

export function listCommand(uploads: Command, setAction: SetAction): void {
  const command = withPaging(uploads.command('list').description('List uploads, newest first'), Infinity)
    .addOption(ledgerOption())
    .option('--project <id>', 'only uploads to this project')
    .addOption(new Option('--state <state>', 'only items in this state').choices(states))
    .option('--runs', 'list runs instead of items')
    .addHelpText('after', examples('svc uploads list', 'svc uploads list --state unknown --all --json'))
  setAction(command, listUploads)
}

interface ListFlags extends LedgerFlags, PageFlags {
  state?: string
  runs?: boolean
}

const listUploads: Action<[], ListFlags> = async (context, _, flags) => {
  const ledgers = await readLedgersFor(context, flags)
  if (flags.runs) {
    const runs = ledgers.flatMap((ledger) => ledger.runs).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    const columns: Column[] = [
      { title: 'RUN', least: 8 },
      { title: 'STARTED', isTime: true },
      { title: 'ENDED', drop: 2, isTime: true },
      { title: 'PROJECT', drop: 1 },
      'SENT',
      'DONE',
      'REFUSED',
      'UNSENT',
      'UNKNOWN',
    ]
    return show(context, flags, runs, 'run', {
      columns,
      json: ({ startedAt: started_at, endedAt: ended_at, ...run }) => ({
        schema: 'svc/upload-run@1',
        ...run,
        started_at,
        ended_at,
      }),
      row: ({ run, startedAt, endedAt, project, sent, done, refused, unsent, unknown }) => [
        run,
        startedAt,
        endedAt,
        project,
        ...[sent, done, refused, unsent, unknown].map(String),
      ],
    })
  }
  const entries = entriesOf(ledgers).filter(({ item }) => flags.state === undefined || item.state === flags.state)
  return show(context, flags, newestFirst(entries), 'item', { columns: itemColumns, json: itemJson, row: itemRow })
}

/** Within a ledger they stand in the order of what happened to them last. */
const newestFirst = (entries: readonly Entry[]): Entry[] =>
  [...entries].reverse().sort((a, b) => (a.item.at < b.item.at ? 1 : a.item.at > b.item.at ? -1 : 0))

async function show<T>(
  context: Context,
  { all, page = 1, limit = 20, maxItems }: ListFlags,
  things: readonly T[],
  noun: string,
  as: { columns: readonly Column[]; json(thing: T): object; row(thing: T): string[] },
): Promise<undefined> {
  const isWhole = all || maxItems !== undefined
  const shown = isWhole ? things.slice(0, maxItems) : things.slice((page - 1) * limit, page * limit)
  if (context.flags.json) {
    for (const thing of shown) {
      printJsonLine(context, as.json(thing))
      await drained(context.io.stdout, context.io.stop)
      await context.io.checkpoint()
    }
    printJsonLine(context, { schema: 'svc/uploads-summary@1', total: things.length, shown: shown.length })
  } else await printRows(context, as.columns, shown.map(as.row))
  if (things.length === 0) context.say(`no ${noun}s`)
  else if (shown.length === 0) context.say(`page ${page} is past the last of ${count(things.length, noun)}`)
  else if (shown.length < things.length) {
    context.say(`${shown.length} of ${count(things.length, noun)}; --all shows the rest`)
  }
}

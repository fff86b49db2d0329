import { hasUnknownOutcome, normalTarget, type Reconciled, reconcileLedger, type TargetLedger } from '@svc/bulk'
import { count } from '@svc/text'
import { withServiceSettings } from '../../config/index.js'
import type { Context } from '../../context.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJsonLine, printRows } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { duration } from '../arguments.js'
import { ledgerOption } from '../ledger-folder.js'
import { booksOf, folderOf, type LedgerFlags } from './ledgers.js'

export function reconcileCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('reconcile')
    .description('Search the service for open and unknown items, and record the result')
    .addOption(ledgerOption())
    .option('--project <id>', 'only uploads to this project')
    .option('--settle <time>', 'how long the list of the service may lag behind an upload (default: 15s)', duration)
    .addHelpText('after', examples('svc uploads reconcile', 'svc uploads reconcile --project hp-… --json'))
  setAction(command, reconcileUploads)
}

interface ReconcileFlags extends LedgerFlags {
  settle?: number
}

const reconcileUploads: Action<[], ReconcileFlags> = async (context, _, given) => {
  const settings = await context.settings()
  const flags = withServiceSettings(given, settings)
  const address = settings.publicBaseUrl?.value
  const open = (await booksOf(context, flags)).filter(({ items }) => items.some(hasUnknownOutcome))
  const here = open.filter(
    ({ target }) => address === undefined || normalTarget({ ...target, baseUrl: address }).baseUrl === target.baseUrl,
  )
  let left = 0
  for (const { target, items } of open.filter((book) => !here.includes(book))) {
    const { length } = items.filter(hasUnknownOutcome)
    left += length
    context.say(`left as they are: ${count(length, 'item')} sent to ${target.baseUrl}`)
  }
  const reconciled: Reconciled[] = []
  for (const book of here) {
    const results = await reconcileLedger({
      ...context.io.environment,
      client: await context.client(),
      folder: folderOf(context, flags),
      target: book.target,
      clock: context.io.clock,
      checkpoint: context.io.checkpoint,
      call: context.call,
      stop: context.io.stop,
      timeoutMs: context.flags.timeout,
      settleMs: flags.settle,
      onWait: (ms) => context.say(`some uploads may still arrive; searching again in ${Math.ceil(ms / 1_000)} s`),
    })
    for (const each of results) if (context.flags.json) printJsonLine(context, jsonOf(each, book))
    reconciled.push(...results)
  }
  const sum = summaryOf(reconciled, left)
  if (context.flags.json) printJsonLine(context, sum)
  else
    await printRows(
      context,
      ['RESULT', 'ID', { title: 'NAME', least: 24 }, { title: 'KEY', least: 8, drop: 1 }],
      reconciled.map(rowOf),
    )
  return reportSummary(context, sum)
}

function summaryOf(settled: readonly Reconciled[], left: number) {
  const of = (result: Reconciled['result']) => settled.filter((each) => each.result === result).length
  const [done, unsent, unknown, open] = [of('done'), of('unsent'), of('unknown'), of('open')]
  return { schema: 'svc/reconcile-summary@1', done, unsent, unknown, open, other_addresses: left }
}

function reportSummary({ say }: Context, { done, unsent, unknown, open }: ReturnType<typeof summaryOf>): ExitCode {
  if (done + unsent + unknown + open === 0) say('nothing to reconcile')
  else say(`${done} stored, ${unsent} not stored, ${unknown + open} unknown`)
  if (unsent > 0) say('run the same upload again: it sends only what is not stored')
  if (unknown === 0) return open > 0 ? exit.unknownWrite : exit.ok
  say('hint: compare them with `svc transcripts get ID`; `svc uploads retry KEY` marks one to be sent again')
  return exit.unknownWrite
}

const idsOf = (settled: Reconciled): string[] =>
  settled.result === 'done' ? [settled.id] : settled.result === 'unknown' ? settled.candidates : []

const rowOf = (settled: Reconciled): string[] => [
  settled.result,
  idsOf(settled).join(' '),
  settled.item.name,
  settled.item.key,
]

const jsonOf = ({ item, ...settled }: Reconciled, { target }: TargetLedger) => ({
  schema: 'svc/upload-reconciled@1',
  key: item.key,
  name: item.name,
  path: item.path,
  record: item.record,
  project: target.project,
  ...settled,
})

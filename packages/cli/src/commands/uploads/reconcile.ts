import { type Item, type Reconciled, reconcileLedger, type TargetLedger } from '@svc/bulk'
import { hasUnknownOutcome, normalTarget } from '@svc/bulk/parts'
import { count } from '@svc/text'
import { withServiceSettings } from '../../config/index.js'
import type { Context } from '../../context.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJsonLine, printRows } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { duration } from '../arguments.js'
import { leaseNote, ledgerOption } from '../ledger-folder.js'
import { folderOf, type LedgerFlags, readLedgersFor } from './ledgers.js'

export function reconcileCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('reconcile')
    .description('Search the service for open and unknown items, and record the result')
    .addOption(ledgerOption())
    .option('--project <id>', 'only uploads to this project')
    .option('--list-lag <time>', 'how long the list of the service may lag behind an upload (default: 15s)', duration)
    .addHelpText('after', examples('svc uploads reconcile', 'svc uploads reconcile --project hp-… --json'))
  setAction(command, reconcileUploads)
}

interface ReconcileFlags extends LedgerFlags {
  listLag?: number
}

const reconcileUploads: Action<[], ReconcileFlags> = async (context, _, given) => {
  const settings = await context.settings()
  const flags = withServiceSettings(given, settings)
  const address = settings.publicBaseUrl?.value
  const open = (await readLedgersFor(context, flags)).filter(({ items }) => items.some(isOpen))
  const here = open.filter(
    ({ target }) => address === undefined || normalTarget({ ...target, baseUrl: address }).baseUrl === target.baseUrl,
  )
  let left = 0
  for (const { target, items } of open.filter((ledger) => !here.includes(ledger))) {
    const { length } = items.filter(isOpen)
    left += length
    context.say(`left as they are: ${count(length, 'item')} sent to ${target.baseUrl}`)
  }
  const reconciled: Reconciled[] = []
  const rows = { identified: 0, ambiguous: 0 }
  for (const ledger of here) {
    const { uploads, identified, ambiguous } = await reconcileLedger({
      ...context.io.environment,
      client: await context.client(),
      ledger: folderOf(context, flags),
      baseUrl: ledger.target.baseUrl,
      project: ledger.target.project,
      clock: context.io.clock,
      checkpoint: context.io.checkpoint,
      call: context.call,
      stop: context.io.stop,
      timeoutMs: context.flags.timeout,
      settleMs: flags.listLag,
      onLease: leaseNote(context),
      onWait: (ms) => context.say(`some uploads may still arrive; searching again in ${Math.ceil(ms / 1_000)} s`),
    })
    for (const each of uploads) if (context.flags.json) printJsonLine(context, jsonOf(each, ledger))
    reconciled.push(...uploads)
    rows.identified += identified
    rows.ambiguous += ambiguous
  }
  const sum = { ...summaryOf(reconciled, left), ...rows }
  if (context.flags.json) printJsonLine(context, sum)
  else
    await printRows(
      context,
      ['RESULT', 'ID', { title: 'NAME', least: 24 }, { title: 'KEY', least: 8, drop: 1 }],
      reconciled.map(rowOf),
    )
  return reportSummary(context, sum)
}

function summaryOf(uploads: readonly Reconciled[], left: number) {
  const of = (result: Reconciled['result']) => uploads.filter((each) => each.result === result).length
  const [done, unsent, unknown, open] = [of('done'), of('unsent'), of('unknown'), of('open')]
  return { schema: 'svc/reconcile-summary@1', done, unsent, unknown, open, other_addresses: left }
}

/** True for an upload of unknown result, and for a transcript that may be any upload. */
const isOpen = (item: Item): boolean => hasUnknownOutcome(item) || item.ambiguous === true

type Sum = ReturnType<typeof summaryOf> & { identified: number; ambiguous: number }

function reportSummary({ say }: Context, { done, unsent, unknown, open, identified, ambiguous }: Sum): ExitCode {
  if (done + unsent + unknown + open > 0) say(`${done} stored, ${unsent} not stored, ${unknown + open} unknown`)
  else if (identified + ambiguous === 0) say('nothing to reconcile')
  if (identified > 0) say(`${count(identified, 'transcript')} of the project identified`)
  if (ambiguous > 0)
    say(
      `${count(ambiguous, 'transcript')} of the project still without a readable stamp: an upload that looks the same is not sent; \`svc upload --again\` sends it, \`svc uploads forget ID\` removes one from the ledger`,
    )
  if (unsent > 0) say('run the same upload again: it sends only what is not stored')
  if (unknown === 0) return open + ambiguous > 0 ? exit.unknownWrite : exit.ok
  say('hint: compare them with `svc transcripts get ID`; `svc uploads retry KEY` marks one to be sent again')
  return exit.unknownWrite
}

const idsOf = (each: Reconciled): string[] =>
  each.result === 'done' ? [each.id] : each.result === 'unknown' ? each.candidates : []

const rowOf = (each: Reconciled): string[] => [each.result, idsOf(each).join(' '), each.item.name, each.item.key]

const jsonOf = ({ item, ...result }: Reconciled, { target }: TargetLedger) => ({
  schema: 'svc/upload-reconciled@1',
  key: item.key,
  name: item.name,
  path: item.path,
  record: item.record,
  project: target.project,
  ...result,
})

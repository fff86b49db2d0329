import {
  defaultTimeoutMs,
  keyOf,
  type Ledger,
  ledgerFolder,
  openLedger,
  reconcile,
  type Target,
  type UnresolvedEntry,
} from '@svc/bulk'
import { type SvcClient, systemClock, type Transcript } from '@svc/client'
import { count, shellLine } from '@svc/text'
import type { Context } from '../../context.js'
import { describe, exitCodeFor, reportFailures, stopped } from '../../errors/index.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { type Pace, type Progress, printJson, printJsonLine, printRows, startProgress } from '../../output/index.js'
import { explainMissingProject } from '../../project.js'
import { writeWarning } from '../../terminal/index.js'
import { applyUpload, type Pending, type Sending } from './apply.js'
import type { Job } from './job.js'
import { type Changed, type Ready, restamped } from './plan.js'
import {
  changedLine,
  createTally,
  mostRows,
  reportChanged,
  resultColumns,
  resultJson,
  resultRow,
  type Summary,
  summaryLine,
  type UploadResult,
} from './result.js'

/** The items to send. */
export interface Load {
  items: AsyncIterable<Ready | Changed> | Iterable<Ready | Changed>
  /** How many; undefined of a stream. */
  total: number | undefined
  /** The keys of them all; undefined of a stream. */
  keys: ReadonlySet<string> | undefined
  /** One transcript: its failure is reported like any other error, and its JSON is one document. */
  alone: boolean
  /** Of a stream: true if the run was to stop before its end. */
  isCut?(): boolean
  /** The counts of the other items, once all is done. */
  rest(): Partial<Pick<Summary, 'invalid' | 'other_shards' | 'not_sent'>>
}

/** Send the planned items, or a stream of them, and report the results. */
export async function send(job: Job, load: Load): Promise<ExitCode> {
  const { context, target } = job
  const ledger = await ledgerOf(job, load.alone)
  try {
    return await sendWith(job, load, ledger)
  } catch (error) {
    // The results until then are written, whatever failed after them.
    await ledger?.flush().catch(() => {})
    throw error
  } finally {
    await ledger?.release().catch((error: unknown) => {
      writeWarning(context.io, `the ledger of ${target.project}: ${(error as Error).message}`)
    })
  }
}

async function sendWith(job: Job, load: Load, ledger: Ledger | undefined): Promise<ExitCode> {
  const { context, target, flags } = job
  const { io } = context
  const client = await context.client({ calls: load.total, atOnce: flags.concurrency })
  if (ledger) {
    const left = ledger.unresolved().filter(({ key }) => load.keys?.has(key) ?? true)
    await reconcileEntries(context, ledger, target, left, { waits: false, settleMs: flags.settle })
  }
  const sending: Omit<Sending, 'pending' | 'report'> = {
    context,
    project: target.project,
    ledger,
    concurrency: flags.concurrency,
    maxInFlight: flags.maxInFlight,
    skipChanged: flags.skipChanged === true,
    settleMs: flags.settle,
    isStamped: flags.stamp,
    sendAgain: flags.again && ledger ? (ready) => asNewOccurrence(job, ledger, ready) : undefined,
  }
  const progress = await startProgress(context, 'uploading')
  const reporter = createReporter(job, load, progress, client, ledger !== undefined)
  const unknown: UploadResult[] = []
  try {
    const pending: Pending[] = []
    await applyUpload(load.items, {
      ...sending,
      pending: (item) => pending.push(item),
      report: (result) => (result.result === 'unknown' ? void unknown.push(result) : reporter.report(result)),
    })
    const reconcileAgain = async (keys: ReadonlySet<string>, waits: boolean) => {
      if (!ledger || io.signal.aborted) return
      const open = ledger.unresolved().filter(({ key }) => keys.has(key))
      await reconcileEntries(context, ledger, target, open, { waits, settleMs: flags.settle })
    }
    // Without an answer of the service they stay unknown.
    await reconcileAgain(new Set(unknown.map(({ item }) => item.identity.key)), false).catch(() => {})
    for (const each of unknown)
      await reporter.report(ledger ? await resultAfterReconciling(context, each, ledger).catch(() => each) : each)
    if (pending.length > 0 && !io.signal.aborted) {
      await reconcileAgain(new Set(pending.map(({ standing }) => standing.key)), true)
      const still: Pending[] = []
      await applyUpload(pending, { ...sending, pending: (item) => still.push(item), report: reporter.report })
      for (const each of still) await reporter.report(unknownResult(each))
    }
  } finally {
    progress.stop()
  }
  // The run ends early if the service could not be searched.
  return reporter.end(unknown.some((each) => each.result === 'unknown' && each.candidates.length === 0))
}

/** How long a ledger event may wait to be written with others, in milliseconds. */
const noteMs = 5

/** A single transcript may be sent without a ledger; many may not, because nobody would know which were stored. */
async function ledgerOf({ context, flags, target, shard }: Job, alone: boolean): Promise<Ledger | undefined> {
  const folder = ledgerFolder(context.io.env, flags.ledger)
  const { io, now, monotonic } = context
  const later = (write: () => void) => (io.clock ?? systemClock).after(noteMs, write)
  const options = {
    folder: folder && io.resolve(folder),
    target,
    shard,
    now,
    monotonic,
    later,
    checkpoint: io.checkpoint,
  }
  return openLedger(options).catch((error: unknown) => {
    if (!alone || exitCodeFor(error) !== exit.input || flags.ledger !== undefined) throw error
    context.say('note: there is no folder for a ledger, so a second run would store this again; see --ledger')
    return undefined
  })
}

/** The next occurrence of content that is already stored. */
function asNewOccurrence({ target, flags }: Job, ledger: Ledger, { item, json }: Ready): Ready {
  let { identity } = item
  while (ledger.stateOf({ ...identity, source: undefined })) {
    const occurrence = identity.occurrence + 1
    identity = { ...identity, occurrence, key: keyOf(target, identity.content, occurrence, identity.part) }
  }
  const again = { ...item, identity }
  return { item: again, json: restamped(json, again, flags.stamp) }
}

/** Report each result as it comes, and their sum at the end. */
function createReporter(
  { context, target, flags: own }: Job,
  load: Load,
  progress: Progress,
  client: SvcClient,
  isKept: boolean,
) {
  const { io, flags } = context
  const tally = createTally(target.project)
  const rows: { number: number; row: string[] }[] = []
  let stored = 0
  const failures: { of: string; error: unknown }[] = []
  const changed: string[] = []
  let bytes = 0
  const pace = (): Pace => ({ done: tally.total(), total: load.total, bytes, window: client.rateLimits().workspace })
  progress.update(pace)
  const print = async (result: UploadResult): Promise<void> => {
    const row = flags.json ? undefined : resultRow(result)
    if (flags.json) (load.alone ? printJson : printJsonLine)(context, resultJson(result))
    else if (row && io.stdout.isTTY && !flags.quiet) {
      if (own.showAll || ++stored <= mostRows) rows.push({ number: result.item.number, row })
    } else if (row) await printRows(context, resultColumns, [row])
    progress.update(pace)
  }
  const failed = async (of: string, failure: unknown): Promise<void> => {
    const explained = await explainMissingProject(context, failure, target.project)
    const isUnknown = isKept && exitCodeFor(explained) === exit.unknownWrite && !(explained instanceof CliError)
    const error = isUnknown ? unknownUpload(describe(explained).message, explained) : explained
    if (load.alone) throw isKept && io.signal.aborted ? stoppedAlone(io.signal.reason) : stopped(io, error)
    failures.push({ of, error })
  }
  return {
    report(result: UploadResult): Promise<void> {
      tally.add(result)
      bytes += result.item.bytes
      if (result.changedFrom !== undefined) changed.push(changedLine(result.item, result.changedFrom))
      if (!('error' in result)) return print(result)
      return failed(result.item.label, result.error).then(() => print(result))
    },
    async end(isBrokenOff: boolean): Promise<ExitCode> {
      // Stopped before the first was sent: there is nothing to sum up.
      if (tally.total() === 0) io.stop.throwIfAborted()
      if (!flags.json && stored <= mostRows) {
        const inOrder = rows.sort((a, b) => a.number - b.number)
        await printRows(
          context,
          resultColumns,
          inOrder.map(({ row }) => row),
        )
      }
      reportChanged(context, changed)
      reportFailures(io, failures)
      const rest = load.rest()
      Object.assign(tally.sum, rest)
      const ending = io.signal.aborted ? exitCodeFor(io.signal.reason) : tally.code()
      // The item that ended the run may have been found since; the rest was still not sent.
      const isShort = load.total === undefined ? isBrokenOff || load.isCut?.() === true : tally.done() < load.total
      const code = isShort && (ending === exit.ok || ending === exit.someFailed) ? exit.temporary : ending
      if (isShort && failures.length === 0 && io.stop.aborted && !io.signal.aborted) reportStop(io)
      tally.sum.not_sent = rest.not_sent === undefined ? notSent(load, tally.done(), code) : rest.not_sent
      if (!load.alone && flags.json) printJsonLine(context, tally.sum)
      context.say(summaryLine(tally.sum))
      if (stored > mostRows) context.say('--show-all prints a row for each; `svc uploads list` shows them later')
      const mayResume = code === exit.temporary || code === exit.unknownWrite || io.signal.aborted
      if (mayResume) context.say(resumeLine(context, own.again))
      return code
    },
  }
}

/** Why nothing more was sent, if no failure says so. */
function reportStop({ stop, stderr }: Context['io']): void {
  stderr.write(`svc: ${describe(stop.reason).message}\n`)
}

function notSent({ total }: Load, done: number, code: ExitCode): number | null {
  if (total !== undefined) return total - done
  return code === exit.ok || code === exit.someFailed ? 0 : null
}

function resumeLine({ argv }: Context, again: boolean | undefined): string {
  if (again) return 'run the same command to continue; --again sends everything again'
  const input = argv.includes('-') ? ', with the same input' : ''
  return `to continue: ${shellLine(['svc', ...argv])}${input}; what is stored is not sent again`
}

/** A lone upload that was stopped under way. */
function stoppedAlone(signal: 'SIGINT' | 'SIGTERM'): CliError {
  const { hint } = unknownUpload('')
  const message = `Stopped by ${signal} during a request: its data may be stored.`
  return new CliError(exitCodeFor(signal), message, { ...(hint && { hint }) })
}

/** Search the service for items of unknown result. `waits`: until an absent one can no longer arrive. */
async function reconcileEntries(
  context: Context,
  ledger: Ledger,
  target: Target,
  items: readonly UnresolvedEntry[],
  { waits, settleMs }: { waits: boolean; settleMs: number | undefined },
): Promise<void> {
  if (items.length === 0) return
  await reconcile(ledger, items, {
    client: await context.client(),
    target,
    clock: context.io.clock ?? systemClock,
    call: context.call,
    stop: context.io.stop,
    timeoutMs: context.flags.timeout ?? defaultTimeoutMs,
    settleMs,
    ...(!waits && { waitMs: 0 }),
    onWait: (ms) =>
      context.say(
        `${count(items.length, 'upload')} of an earlier run may still arrive; looking again in ${Math.ceil(ms / 1_000)} s`,
      ),
  })
}

/** The result of an upload of this run that was unknown, after another search. */
export async function resultAfterReconciling(
  context: Context,
  each: UploadResult,
  ledger: Ledger,
): Promise<UploadResult> {
  if (each.result !== 'unknown') return each
  const { item, error } = each
  const standing = ledger.stateOf(item.identity)
  if (standing?.state === 'done') return { item, result: 'uploaded', transcript: await recordOf(context, standing.id) }
  if (standing?.state !== 'unsent') return each
  // It is not stored and can no longer arrive: report why its answer was lost.
  const cause = (error as Error).cause ?? error
  return { item, result: 'failed', code: exitCodeFor(cause), error: cause }
}

/** The record that the answer would have held. */
async function recordOf(context: Context, id: string): Promise<Transcript> {
  const { transcripts } = await context.client()
  const { turns: _, annotations: __, ...record } = await transcripts.get(id, context.call())
  return record as unknown as Transcript
}

/** An error about an upload that the ledger keeps as unknown. */
export const unknownUpload = (message: string, cause?: unknown): CliError =>
  new CliError(exit.unknownWrite, message, {
    hint: 'run the same command: it searches for the transcript first and sends it again only if it is not stored; or run `svc uploads reconcile`',
    ...(cause !== undefined && { cause }),
  })

/** The result of an item that stays unknown. */
export const unknownResult = ({ item, standing }: Pending): UploadResult => ({
  item,
  result: 'unknown',
  code: exit.unknownWrite,
  error: unknownUpload('An earlier run sent it and got no answer: it may be stored.'),
  candidates: standing.candidates,
})

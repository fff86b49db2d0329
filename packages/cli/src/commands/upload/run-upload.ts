import { applyUploads, BulkError, type UploadSummary } from '@svc/bulk'
import { limits, mayRefuseStamp, type SvcClient, SvcError, stampOf } from '@svc/client'
import { count, shellLine } from '@svc/text'
import type { Context } from '../../context.js'
import { describe, exitByStep, exitCodeFor, reportFailures, stopped } from '../../errors.js'
import { CliError, type ExitCode, exit, exitCodeForMany } from '../../exit.js'
import { printJson, printJsonLine, printRows, startProgress } from '../../output/index.js'
import { explainMissingProject } from '../../project.js'
import { writeWarning } from '../../terminal.js'
import { leaseNote } from '../ledger-folder.js'
import { skips, type UploadInput } from './input.js'
import type { Ready } from './item.js'
import {
  changedLine,
  isAlike,
  mostRows,
  type Result,
  reportAlike,
  reportChanged,
  resultColumns,
  resultJson,
  resultRow,
  type Summary,
  summaryLine,
} from './shown-result.js'

export interface SendOptions {
  items: AsyncIterable<Ready>
  /** How many; undefined of a stream. */
  total: number | undefined
  /** The keys of those that are sent; undefined of a stream. */
  keys: ReadonlySet<string> | undefined
  /** One transcript: its failure is reported like any other error, and its JSON is one document. */
  isSingle: boolean
  /** The numbers of uploads that are not among the items, once all is done. */
  notTaken(): Pick<Summary, 'invalid' | 'skipped_files'> & Partial<Pick<Summary, 'other_shards'>>
}

/** Thrown by the items of a stream at the first invalid transcript. */
export const stoppedAtProblem = new Error('Stopped at the first invalid transcript.')

export async function runUpload(input: UploadInput, options: SendOptions): Promise<ExitCode> {
  const { context, target, shard, flags, folder } = input
  const { io, say } = context
  const client = await context.client({ calls: options.total, atOnce: flags.concurrency })
  if (input.hasNoLedger && !options.isSingle && options.total !== 0) await noteStored(input, options.keys, client)
  let hasLedger = true
  const run = applyUploads(options.items, {
    ...target,
    ...io.environment,
    client,
    ledger: folder,
    shard,
    clock: io.clock,
    concurrency: flags.concurrency,
    signal: io.signal,
    deadlineMs: context.call().deadlineMs,
    timeoutMs: context.flags.timeout,
    settleMs: flags.listLag,
    leaseMs: flags.lease,
    onLease: leaseNote(context),
    again: flags.again,
    skipChanged: skips(flags, 'changed'),
    total: options.total,
    keys: options.keys,
    onLedgerError(error) {
      // Of many uploads nobody would know which were stored.
      if (!options.isSingle || exitCodeFor(error) !== exit.input || flags.ledger !== undefined) return false
      say('note: there is no folder for a ledger, so a second run would store this again; see --ledger')
      hasLedger = false
      return true
    },
    onStop: (underWay) => say(`Stopping after ${count(underWay, 'open request')}. Press Ctrl-C again to quit now.`),
    onWait(uploads, ms) {
      reporter.waits(ms)
      say(
        uploads === 0
          ? `the ledger was rebuilt just now; reading the project again in ${Math.ceil(ms / 1_000)} s, before anything new is sent`
          : `${count(uploads, 'upload')} of an earlier run may still arrive; searching again in ${Math.ceil(ms / 1_000)} s`,
      )
    },
  })
  const progress = await startProgress(context, 'uploading')
  const reporter = createReporter(input, options, client, () => hasLedger)
  let hasProblem = false
  try {
    progress.update(reporter.pace)
    for await (const result of run) {
      await reporter.report(result)
      progress.update(reporter.pace)
    }
  } catch (error) {
    // The failure of the only upload is the error of the command, also a failure of the ledger or the deadline.
    if (error === reporter.loneFailure()) throw error
    hasProblem = error === stoppedAtProblem
    if (isLedgerEnd(error)) writeWarning(io, `the ledger of ${target.project}: ${error.message}`)
    else if (isLate(error)) reporter.late(error)
    else if (!hasProblem && !isStop(io, error)) throw error
  } finally {
    progress.stop()
  }
  return reporter.end(run.summary(), hasProblem)
}

/** A note is not worth a longer wait, in milliseconds. */
const noteMs = 10_000

/** Say that transcripts of the input may be stored, if there is no ledger that knows it. Only the beginning of the list is read. */
async function noteStored(
  { context, target, folder }: UploadInput,
  keys: ReadonlySet<string> | undefined,
  client: SvcClient,
): Promise<void> {
  const call = { ...context.call(), retry: false as const, timeoutMs: noteMs }
  // A key that may only write cannot ask, and any other failure is that of the first upload, too.
  const list = await client.transcripts
    .list(target.project, { limit: limits.pageSize.max }, call)
    .catch(() => undefined)
  if (!list || list.data.length === 0) return
  const stored = list.data.filter((row) => keys?.has(stampOf(row)?.key ?? '')).length
  const has = `at least ${count(Math.max(list.total ?? 0, list.data.length), 'transcript')}`
  const what = stored === 0 ? has : `${stored} of these transcripts among its first ${list.data.length}`
  context.say(
    `note: ${folder} has no ledger of ${target.project}, which has ${what}: if an earlier run stored this input, run \`svc uploads rebuild\` first`,
  )
}

/** The ledger could not be synced at the end: all results are known. */
const isLedgerEnd = (error: unknown): error is BulkError =>
  error instanceof BulkError && error.code === 'ledger_write_failed'

/** A process that had lost the ledger recorded uploads at the end: all results of this run are known. */
const isLate = (error: unknown): error is BulkError => error instanceof BulkError && error.code === 'possibly_stored'

/** The run was stopped: the results until then are reported, and the summary says what was not sent. */
const isStop = ({ stop }: Context['io'], error: unknown): boolean =>
  (stop.aborted && error === stop.reason) || (error instanceof BulkError && error.code === 'deadline_passed')

function createReporter(
  { context, target, flags: uploadFlags }: UploadInput,
  { isSingle, total, notTaken }: SendOptions,
  client: SvcClient,
  hasLedger: () => boolean,
) {
  const { io, flags } = context
  const codes: ExitCode[] = []
  const rows: { index: number; row: string[] }[] = []
  const failures: { of: string; error: unknown }[] = []
  const changed: string[] = []
  const alike: string[] = []
  let stored = 0
  let bytes = 0
  let known = 0
  const waits: { since: number; ms: number }[] = []
  const waitedMs = () => waits.reduce((sum, { since, ms }) => sum + Math.min(ms, context.now() - since), 0)
  let lone: unknown
  async function print(result: Result, code: ExitCode): Promise<void> {
    const row = flags.json ? undefined : resultRow(result)
    if (flags.json) (isSingle ? printJson : printJsonLine)(context, resultJson(result, code))
    else if (row && io.stdout.isTTY && !flags.quiet) {
      if (uploadFlags.showAll || ++stored <= mostRows) rows.push({ index: result.item.index, row })
    } else if (row) await printRows(context, resultColumns, [row])
  }
  async function failed(of: string, failure: unknown): Promise<void> {
    const error = await explainMissingProject(context, failure, target.project)
    if (isSingle) {
      lone = hasLedger() && io.signal.aborted ? stoppedAlone(io.signal.reason) : stopped(io, error)
      throw lone
    }
    failures.push({ of, error })
  }
  return {
    loneFailure: () => lone,
    pace: () => ({
      done: codes.length,
      known,
      waitedMs: waitedMs(),
      total,
      bytes,
      window: client.rateLimits().workspace,
    }),
    /** Nothing is sent for so long. */
    waits(ms: number): void {
      waits.push({ since: context.now(), ms })
    },
    async report(given: Result): Promise<void> {
      // Their number is in the summary.
      if (given.result === 'not_sent' && given.error === undefined) return
      const result = explained(given, uploadFlags.stamp)
      const code = codeOf(result)
      const { item, changedFrom } = result
      codes.push(code)
      if (isKnown(result)) known++
      else bytes += item.bytes
      if (changedFrom !== undefined) changed.push(changedLine(item, changedFrom))
      if (result.result === 'already_uploaded' && isAlike(item, result)) alike.push(item.label)
      if ('error' in result) await failed(item.label, result.error)
      await print(result, code)
    },
    /** Uploads of another process may be stored twice. */
    late(error: BulkError): void {
      codes.push(exitCodeFor(error))
      failures.push({ of: target.project, error })
    },
    async end(counts: UploadSummary, hasProblem: boolean): Promise<ExitCode> {
      // Stopped before the first was sent: there is nothing to sum up.
      if (codes.length === 0) io.stop.throwIfAborted()
      if (!flags.json && stored <= mostRows) {
        const inOrder = rows.sort((a, b) => a.index - b.index)
        await printRows(
          context,
          resultColumns,
          inOrder.map(({ row }) => row),
        )
      }
      reportChanged(context, changed)
      reportAlike(context, alike)
      reportFailures(io, failures)
      const summary: Summary = { schema: 'svc/upload-summary@1', project: target.project, ...counts, ...notTaken() }
      const isShort = summary.not_sent !== 0 && !hasProblem
      const code = exitCodeOfRun(io, codes, summary, isShort)
      // Why nothing more was sent, if no failure says so.
      if (isShort && failures.length === 0 && io.stop.aborted && !io.signal.aborted)
        io.stderr.write(`svc: ${describe(io.stop.reason).message}\n`)
      if (!isSingle && flags.json) printJsonLine(context, summary)
      context.say(summaryLine(summary))
      if (stored > mostRows) context.say('--show-all prints a row for each; `svc uploads list` shows them later')
      const mayResume = code === exit.temporary || code === exit.unknownWrite || io.signal.aborted
      if (mayResume) context.say(resumeLine(context, uploadFlags.again))
      return code
    },
  }
}

/** `isShort`: not everything was sent. */
function exitCodeOfRun(
  { signal, stop }: Context['io'],
  results: readonly ExitCode[],
  { invalid }: Summary,
  isShort: boolean,
): ExitCode {
  if (signal.aborted) return exitCodeFor(signal.reason)
  // Skipped transcripts count as failed.
  const all = exitCodeForMany(invalid > 0 ? [...results, exit.someFailed, exit.someFailed] : results)
  const isMilder = all === exit.ok || all === exit.someFailed || (all === exit.unknownWrite && stop.aborted)
  return isShort && isMilder ? exit.temporary : all
}

/** True for a result that needed no request of its own. */
const isKnown = ({ result }: Result): boolean => result === 'already_uploaded' || result.startsWith('skipped_')

function explained(result: Result, isStamped: boolean): Result {
  if (result.result !== 'failed') return result
  const { error, allRefused } = result
  const { message, hint = '' } = describe(error)
  if (allRefused !== undefined) {
    const all = `The first ${allRefused} requests were refused: ${message}`
    return { ...result, error: new CliError(exit.auth, all, { hint, cause: error }) }
  }
  if (!isStamped || !mayRefuseStamp(error)) return result
  const more = `${hint}; if it refuses the stamp in metadata.svc, upload with --no-stamp`
  return { ...result, error: new CliError(exit.refused, message, { hint: more, cause: error }) }
}

/** The exit code of one result. An error of the client may concern this upload alone, as its step says. */
function codeOf(result: Result): ExitCode {
  if (!('error' in result)) return exit.ok
  const { error, step } = result
  return step !== undefined && error instanceof SvcError ? exitByStep[step] : exitCodeFor(error)
}

function resumeLine({ argv }: Context, again: boolean | undefined): string {
  if (again) return 'run the same command to continue; --again sends everything again'
  const input = argv.includes('-') ? ', with the same input' : ''
  return `to continue: ${shellLine(['svc', ...argv])}${input}; what is stored is not sent again`
}

function stoppedAlone(signal: 'SIGINT' | 'SIGTERM'): CliError {
  return new CliError(exitCodeFor(signal), `Stopped by ${signal} during a request: its data may be stored.`, {
    hint: 'run the same command: it searches for the transcript first and sends it again only if it is not stored; or run `svc uploads reconcile`',
  })
}

import { type SvcClient, systemClock, type Transcript } from '@svc/client'
import type { Context } from '../../context.js'
import { describe, exitCodeFor, reportFailures, stopped } from '../../errors/index.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import {
  defaultTimeoutMs,
  keyOf,
  type Ledger,
  ledgerFolder,
  openLedger,
  reconcile,
  type Target,
  type UnresolvedEntry,
} from '../../ledger/index.js'
import { type Progress, printJson, printJsonLine, printRows, startProgress } from '../../output/index.js'
import { count, shellLine, writeWarning } from '../../terminal/index.js'
import { explainMissingProject } from '../missing-project.js'
import { applyUpload, type Pending, type Sending } from './apply.js'
import type { Job } from './job.js'
import {
  changedLine,
  createTally,
  type Outcome,
  outcomeJson,
  outcomeRow,
  progressLine,
  type Summary,
  summaryLine,
  tellChanged,
} from './outcome.js'
import { type Changed, type Ready, restamped } from './plan.js'

/** What is to be sent. */
export interface Load {
  items: AsyncIterable<Ready | Changed> | Iterable<Ready | Changed>
  /** How many; undefined of a stream. */
  total: number | undefined
  /** The keys of them all; undefined of a stream. */
  keys: ReadonlySet<string> | undefined
  /** One transcript, whose failure is told as every other error, and whose JSON is one document. */
  alone: boolean
  /** What is known of the rest when all is done. */
  rest(): Partial<Pick<Summary, 'invalid' | 'other_shards' | 'not_sent'>>
}

/** Sends what is planned, or what comes, and tells how it went. */
export async function send(job: Job, load: Load): Promise<ExitCode> {
  const { context, target } = job
  const ledger = await ledgerOf(job, load.alone)
  try {
    return await sendWith(job, load, ledger)
  } catch (error) {
    // What was found out until then is written down, whatever went wrong after it.
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
    await settle(context, ledger, target, left, false)
  }
  const sending: Omit<Sending, 'pending' | 'tell'> = {
    context,
    project: target.project,
    ledger,
    concurrency: flags.concurrency,
    maxInFlight: flags.maxInFlight,
    skipChanged: flags.skipChanged === true,
    anew: flags.again && ledger ? (ready) => anew(job, ledger, ready) : undefined,
  }
  const progress = await startProgress(
    context,
    `uploading ${load.total === undefined ? '' : count(load.total, 'transcript')}`,
  )
  const told = teller(job, load, progress, client, ledger !== undefined)
  const doubts: Outcome[] = []
  try {
    const pending: Pending[] = []
    await applyUpload(load.items, {
      ...sending,
      pending: (item) => pending.push(item),
      tell: (outcome) => (outcome.fate === 'unknown' ? void doubts.push(outcome) : told.tell(outcome)),
    })
    const lookAgain = async (keys: ReadonlySet<string>, waits: boolean) => {
      if (!ledger || io.signal.aborted) return
      const open = ledger.unresolved().filter(({ key }) => keys.has(key))
      await settle(context, ledger, target, open, waits)
    }
    // Where nobody can look, the doubt remains.
    await lookAgain(new Set(doubts.map(({ item }) => item.identity.key)), false).catch(() => {})
    for (const doubt of doubts)
      await told.tell(ledger ? await settled(context, doubt, ledger).catch(() => doubt) : doubt)
    if (pending.length > 0 && !io.signal.aborted) {
      await lookAgain(new Set(pending.map(({ standing }) => standing.key)), true)
      const still: Pending[] = []
      await applyUpload(pending, { ...sending, pending: (item) => still.push(item), tell: told.tell })
      for (const each of still) await told.tell(inDoubt(each))
    }
  } finally {
    progress.stop()
  }
  // Nothing new is sent behind a doubt that nobody could look into.
  return told.end(doubts.some((doubt) => doubt.fate === 'unknown' && doubt.candidates.length === 0))
}

/** So long what became of an item may wait for others to be written, in milliseconds. */
const noteMs = 5

/** A lone transcript may be sent where no ledger can be kept; many may not, for nobody could tell which of them were. */
async function ledgerOf({ context, flags, target, shard }: Job, alone: boolean): Promise<Ledger | undefined> {
  const folder = ledgerFolder(context.io.env, flags.ledger)
  const { io, now } = context
  const later = (write: () => void) => (io.clock ?? systemClock).after(noteMs, write)
  const options = { folder: folder && io.resolve(folder), target, shard, now, later }
  return openLedger(options).catch((error: unknown) => {
    if (!alone || exitCodeFor(error) !== exit.input || flags.ledger !== undefined) throw error
    context.say('note: there is no folder for a ledger, so that a second run would store this again; see --ledger')
    return undefined
  })
}

/** The same words as the next of their kind, since the ones before are stored. */
function anew({ target, flags }: Job, ledger: Ledger, { item, json }: Ready): Ready {
  let { identity } = item
  while (ledger.stateOf({ ...identity, source: undefined })) {
    const occurrence = identity.occurrence + 1
    identity = { ...identity, occurrence, key: keyOf(target, identity.content, occurrence, identity.part) }
  }
  const again = { ...item, identity }
  return { item: again, json: restamped(json, again, flags.stamp) }
}

/** Tells each outcome as it comes, and all of them at the end. */
function teller(
  { context, target, flags: own }: Job,
  load: Load,
  progress: Progress,
  client: SvcClient,
  isKept: boolean,
) {
  const { io, flags } = context
  const tally = createTally(target.project)
  const startedAt = context.now()
  const rows: string[][] = []
  const failures: { of: string; error: unknown }[] = []
  const changed: string[] = []
  let bytes = 0
  const pace = (): string => {
    const { workspace } = client.rateLimits()
    const { now } = context
    return progressLine({ done: tally.total(), total: load.total, bytes, startedAt, now: now(), window: workspace })
  }
  const told = (outcome: Outcome): void => {
    const row = flags.json ? undefined : outcomeRow(outcome)
    if (flags.json) (load.alone ? printJson : printJsonLine)(context, outcomeJson(outcome))
    else if (row && io.stdout.isTTY) rows.push(row)
    else if (row) printRows(context, [], [row])
    progress.update(pace)
  }
  const failed = async (of: string, failure: unknown): Promise<void> => {
    const explained = await explainMissingProject(context, failure, target.project)
    const isDoubtful = isKept && exitCodeFor(explained) === exit.unknownWrite
    const error = isDoubtful ? doubtful(describe(explained).message, explained) : explained
    if (load.alone) throw isKept && io.signal.aborted ? stoppedAlone(io.signal.reason) : stopped(io, error)
    failures.push({ of, error })
  }
  return {
    tell(outcome: Outcome): void | Promise<void> {
      tally.add(outcome)
      bytes += outcome.item.bytes
      if (outcome.changedFrom !== undefined) changed.push(changedLine(outcome.item, outcome.changedFrom))
      if (!('error' in outcome)) return told(outcome)
      return failed(outcome.item.label, outcome.error).then(() => told(outcome))
    },
    end(isBrokenOff: boolean): ExitCode {
      // Stopped before the first was sent: there is nothing to sum up.
      if (tally.total() === 0) io.signal.throwIfAborted()
      if (!flags.json) printRows(context, ['ID', 'NAME', 'TURNS', 'STATUS', 'FROM', 'RECORD'], rows)
      tellChanged(context, changed)
      reportFailures(io, failures)
      const rest = load.rest()
      Object.assign(tally.sum, rest)
      const outcome = io.signal.aborted ? exitCodeFor(io.signal.reason) : tally.code()
      // What broke it off may have been found since; the rest was not sent all the same.
      const isShort = load.total === undefined ? isBrokenOff : tally.done() < load.total
      const code = isShort && (outcome === exit.ok || outcome === exit.someFailed) ? exit.temporary : outcome
      tally.sum.not_sent = rest.not_sent === undefined ? notSent(load, tally.done(), code) : rest.not_sent
      if (!load.alone && flags.json) printJsonLine(context, tally.sum)
      context.say(summaryLine(tally.sum))
      const mayResume = code === exit.temporary || code === exit.unknownWrite || io.signal.aborted
      if (mayResume) context.say(resumeLine(context, own.again))
      return code
    },
  }
}

function notSent({ total }: Load, done: number, code: ExitCode): number | null {
  if (total !== undefined) return total - done
  return code === exit.ok || code === exit.someFailed ? 0 : null
}

function resumeLine({ argv }: Context, again: boolean | undefined): string {
  if (again) return 'to go on: the same command; with --again it sends everything once more'
  const input = argv.includes('-') ? ', with the same input' : ''
  return `to go on: ${shellLine(['svc', ...argv])}${input}; what is stored is not sent again`
}

/** A lone upload that was stopped under way. */
function stoppedAlone(signal: 'SIGINT' | 'SIGTERM'): CliError {
  const { hint } = doubtful('')
  const message = `Stopped by ${signal} while a request was under way; it may be stored.`
  return new CliError(exitCodeFor(signal), message, { ...(hint && { hint }) })
}

/** Looks for what earlier runs left in doubt. With `waits`, until what is not there can no longer come. */
export async function settle(
  context: Context,
  ledger: Ledger,
  target: Target,
  items: readonly UnresolvedEntry[],
  waits: boolean,
): Promise<void> {
  if (items.length === 0) return
  await reconcile(ledger, items, {
    client: await context.client(),
    target,
    clock: context.io.clock ?? systemClock,
    call: context.call,
    timeoutMs: context.flags.timeout ?? defaultTimeoutMs,
    ...(!waits && { waitMs: 0 }),
    onWait: (ms) =>
      context.say(
        `${count(items.length, 'upload')} of an earlier run may still arrive; looking again in ${Math.ceil(ms / 1_000)} s`,
      ),
  })
}

/** What became of an upload of this run that was left in doubt, once it has been looked for again. */
export async function settled(context: Context, doubt: Outcome, ledger: Ledger): Promise<Outcome> {
  if (doubt.fate !== 'unknown') return doubt
  const { item, error } = doubt
  const standing = ledger.stateOf(item.identity)
  if (standing?.state === 'done') return { item, fate: 'uploaded', transcript: await recordOf(context, standing.id) }
  if (standing?.state !== 'unsent') return doubt
  // It is not there and will not come: what is left to tell is why its answer was lost.
  const cause = (error as Error).cause ?? error
  return { item, fate: 'failed', code: exitCodeFor(cause), error: cause }
}

/** The record that the answer would have held. */
async function recordOf(context: Context, id: string): Promise<Transcript> {
  const { transcripts } = await context.client()
  const { turns: _, annotations: __, ...record } = await transcripts.get(id, context.call())
  return record as unknown as Transcript
}

/** An error about an upload that the ledger keeps as unknown. */
export const doubtful = (message: string, cause?: unknown): CliError =>
  new CliError(exit.unknownWrite, message, {
    hint: 'the same command looks for it first, and sends it again only where it is not stored; so does `svc uploads reconcile`',
    ...(cause !== undefined && { cause }),
  })

/** What is left in doubt, as an outcome. */
export const inDoubt = ({ item, standing }: Pending): Outcome => ({
  item,
  fate: 'unknown',
  code: exit.unknownWrite,
  error: doubtful('An earlier run sent it, and its answer was lost; it may be stored.'),
  candidates: standing.candidates,
})

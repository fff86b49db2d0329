import { InputError, optionsOf, type SvcClient } from '@svc/client'
import { createDeadline } from '@svc/text'
import { BulkError } from '../bulk-error.js'
import type { BulkEnvironment } from '../environment/index.js'
import { environmentOf, type GivenEnvironment } from '../environment-of.js'
import {
  type Checkpoint,
  completeRebuild,
  type LeaseOptions,
  type Ledger,
  openLedger,
  reconcile,
  type Target,
  type UnresolvedEntry,
} from '../ledger/index.js'
import { createSlots } from '../pool.js'
import type { Shard } from '../shard.js'

/** Options of a bulk upload. Durations in milliseconds. */
export interface RunOptions extends GivenEnvironment, Omit<LeaseOptions, 'stop'> {
  /** The client that sends. */
  client: SvcClient
  /** The id of the project to upload to. */
  project: string
  /** The public base URL, which is part of each key in the ledger. Default: that of the client. */
  baseUrl?: string | undefined
  /** The folder of the ledgers, which is created if it is missing. Keep it between runs: it knows what is stored. */
  ledger: string | undefined
  /** Upload one shard of the input. Each shard has a ledger file of its own. Default: everything. */
  shard?: Shard | undefined
  /** The number of uploads at the same time. Default 4. */
  concurrency?: number | undefined
  /** The bytes of the uploads that are sent at the same time; one is always sent. Default 32 000 000. */
  maxInFlight?: number | undefined
  /**
   * Stops the run in order: nothing more is sent, uploads under way have 5 s to be answered, their results come, and then
   * the iteration throws the reason of the signal.
   */
  signal?: AbortSignal | undefined
  /**
   * The time for the whole run. After it nothing more is sent, uploads under way get five seconds to be answered, and the iteration
   * throws a BulkError `deadline_passed`. Default: none.
   */
  deadlineMs?: number | undefined
  /** The time for one attempt of an upload. Default: that of the client. */
  timeoutMs?: number | undefined
  /** How long the list of the service may lag behind an upload. Default: that of the client, 15 000. */
  settleMs?: number | undefined
  /** Also send what the ledger has as stored. Default false. */
  again?: boolean | undefined
  /** Do not send an upload whose external id an earlier run stored with other content. Default false. */
  skipChanged?: boolean | undefined
  /**
   * The number of uploads that this run takes, without those of other shards, if it is known: then `not_sent` of the summary
   * is a number also if the run stops before it has read them all.
   */
  total?: number | undefined
  /** The keys of all uploads, if they are known: of those that an earlier run left open, only these are searched for first. */
  keys?: ReadonlySet<string> | undefined
  /**
   * Called if the ledger cannot be opened, before anything is sent. If it returns true, the run goes on without a ledger,
   * and a second run would store everything again. Default: the iteration throws the error.
   */
  onLedgerError?: ((error: BulkError) => boolean) | undefined
  /** Called at an abort if uploads are under way, with their number. */
  onStop?: ((underWay: number) => void) | undefined
  /** Called before a wait until uploads of an earlier run can no longer arrive, with their number; 0 after a rebuild, which cannot know it. */
  onWait?: ((uploads: number, ms: number) => void) | undefined
}

/** The values that the steps of one bulk upload share. */
export type Run = Awaited<ReturnType<typeof startRun>>

/** Open the ledger of a run, and start its deadline. */
export async function startRun(options: RunOptions) {
  const { client, project, deadlineMs, concurrency = 4 } = options
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    const got = typeof concurrency === 'number' ? `, got ${concurrency}` : ''
    const message = `uploadAll: expected concurrency as a whole number from 1${got}.`
    throw new InputError('invalid_input', message, 'uploadAll')
  }
  if (options.leaseMs !== undefined && !(options.leaseMs > 0 && options.leaseMs < Number.POSITIVE_INFINITY)) {
    const message = `uploadAll: expected leaseMs as a number of milliseconds above 0, got ${options.leaseMs}.`
    throw new InputError('invalid_input', message, 'uploadAll')
  }
  const signal = signalOf(options.signal)
  const environment = environmentOf(options)
  const deadline = createDeadline(deadlineMs, environment.clock, deadlinePassed)
  const stop = AbortSignal.any([signal, deadline.signal])
  const target = targetOf(options)
  const checkpoint = async () => {
    await environment.turn()
    throwIfStopped()
  }
  let completion: Promise<void> | undefined
  /** Throws the reason of `signal`, or the error of a deadline that has passed. */
  const throwIfStopped = () => {
    signal.throwIfAborted()
    const late = deadline.passed()
    if (late) throw late
  }
  /** The options of the next call. Throws if the deadline has passed. */
  const call = () => ({ signal, deadlineMs: deadline.left() })
  try {
    const ledger = await ledgerOf(options, { ...environment, target, checkpoint, stop })
    return {
      options,
      environment,
      client,
      project,
      target,
      ledger,
      concurrency,
      /** Shared by all that sends in this run. */
      slots: createSlots(concurrency, options.maxInFlight ?? 32_000_000),
      signal,
      /** Aborted by `signal`, or when the deadline passes. */
      stop,
      throwIfStopped,
      call,
      /** `completeRebuild`, once. */
      completeRebuild: () =>
        (completion ??=
          ledger &&
          completeRebuild(ledger, {
            ...{ client, target, stop, call, clock: environment.clock },
            timeoutMs: options.timeoutMs,
            settleMs: options.settleMs,
            onWait: (ms) => options.onWait?.(0, ms),
          })),
      /** End the timer of the deadline and close the ledger. */
      async release() {
        deadline.end()
        await ledger?.release()
      },
    }
  } catch (error) {
    deadline.end()
    throw error
  }
}

/** A signal of this runtime: that of a polyfill may lack members. */
function signalOf(given: Pick<AbortSignal, 'aborted' | 'reason' | 'addEventListener'> | undefined): AbortSignal {
  if (given instanceof AbortSignal) return given
  const controller = new AbortController()
  if (given === undefined) return controller.signal
  if (typeof given.addEventListener !== 'function')
    throw new InputError('invalid_input', 'uploadAll: expected an AbortSignal as signal.', 'uploadAll')
  const abort = () => controller.abort(given.reason)
  given.addEventListener('abort', abort, { once: true })
  if (given.aborted) abort()
  return controller.signal
}

const deadlinePassed = (): BulkError =>
  new BulkError('deadline_passed', 'The deadline of this run has passed.', {
    hint: 'run it again, with a later deadline if it needs more time',
  })

async function ledgerOf(
  { ledger: folder, shard, leaseMs, onLease, onLedgerError }: RunOptions,
  opening: BulkEnvironment & { target: Target; checkpoint: Checkpoint; stop: AbortSignal },
): Promise<Ledger | undefined> {
  try {
    return await openLedger({ ...opening, folder, shard, leaseMs, onLease, isForUpload: true })
  } catch (error) {
    if (error instanceof BulkError && onLedgerError?.(error)) return undefined
    throw error
  }
}

/** The target of uploads: a project of the service that a client calls, unless another base URL is given. */
export function targetOf(given: { client: SvcClient; project: string; baseUrl?: string | undefined }): Target {
  const baseUrl = given.baseUrl ?? optionsOf(given.client).publicBaseUrl
  if (baseUrl !== undefined) return { baseUrl, project: given.project }
  throw new InputError('missing_base_url', 'bulk: the client has no publicBaseUrl.', 'bulk')
}

/** Search the service for uploads of unknown result. `waits`: until an absent one can no longer arrive. */
export async function reconcileEntries(
  { client, target, environment, stop, call, options, ledger }: Run,
  entries: readonly UnresolvedEntry[],
  { waits }: { waits: boolean },
): Promise<void> {
  if (!ledger || entries.length === 0) return
  await reconcile(ledger, entries, {
    client,
    target,
    clock: environment.clock,
    call,
    stop,
    timeoutMs: options.timeoutMs,
    settleMs: options.settleMs,
    waitMs: waits ? undefined : 0,
    onWait: (ms) => options.onWait?.(entries.length, ms),
  })
}

import {
  AmbiguousWriteError,
  InputError,
  optionsOf,
  type Transcript,
  type TranscriptUpload,
  type Violation,
} from '@svc/client'
import { BulkError, stepAfter } from '../bulk-error.js'
import { environmentNames, environmentOf } from '../environment-of.js'
import type { Ledger } from '../ledger/index.js'
import { checkOptions, type OptionNames, wrongOption } from '../options.js'
import type { SkippedUpload, UnsendableUpload } from './plan.js'
import { type BulkUpload, createPreparer, type PreparedUpload, type ReadyUpload } from './prepare.js'
import { type Run, type RunOptions, reconcileEntries, startRun, targetOf } from './run.js'
import { type PendingUpload, possiblyStored, resultUnsent, type SendInput, sendUploads } from './send-uploads.js'
import { createTally, notStored, type UploadResult, type UploadSummary } from './upload-result.js'

/** A bulk upload: iterate over it to run it. It can be iterated over once. */
export interface UploadRun<Tag = undefined> extends AsyncIterable<UploadResult<Tag>> {
  /** The counts until now; they are final when the iteration has ended. */
  summary(): UploadSummary
}

/** Options of `uploadAll`. Durations in milliseconds. */
export interface UploadAllOptions<Tag = undefined> extends RunOptions {
  /**
   * The transcripts to upload, read as uploads can start, so that a generator or stream of any length fits. The same ones
   * have to come again after an interruption, in any order.
   */
  transcripts: Iterable<TranscriptUpload | BulkUpload<Tag>> | AsyncIterable<TranscriptUpload | BulkUpload<Tag>>
  /** False: do not stamp the uploads. Their results are then unknown more often. Default true. */
  stamp?: boolean | undefined
  /** Skip transcripts with the turns and external id of an earlier one of this run. Default: each is stored. */
  dedupe?: boolean | undefined
}

/**
 * Upload many transcripts, so that none is lost or stored twice, even if the process or the machine ends at any moment.
 * Each upload is recorded in a ledger on disk before it is sent; run again with the same ledger and transcripts to go on.
 * Iterate over the results as they come (interface: Endpoints › POST /projects/{projectId}/transcripts).
 *
 * An upload that the service refuses is `failed`, and the others go on. After a failure that all would share, such as a
 * rejected key, nothing more is sent, and `not_sent` of the summary says so. The iteration throws a BulkError if the ledger
 * cannot be used, the errors of the client if the service cannot be searched, and the reason of `signal`.
 *
 * @throws {InputError} for an option that is missing or of another type
 *
 * @example
 * const run = uploadAll({ client: svc, project, transcripts, ledger: './ledger' })
 * for await (const { item, result } of run) console.log(result, item.name)
 * console.log(run.summary())
 */
export function uploadAll<Tag = undefined>(options: UploadAllOptions<Tag>): UploadRun<Tag> {
  const given = Object(options) as Partial<UploadAllOptions<Tag>>
  // Without a home folder there is none, which `onLedgerError` may accept.
  checkOptions('uploadAll', given, optionNames, { mayLackLedger: 'ledger' in given })
  const { transcripts } = given
  const source = Object(transcripts)
  if (!(Symbol.asyncIterator in source || Symbol.iterator in source) || typeof transcripts === 'string')
    throw wrongOption('uploadAll', 'transcripts', 'an array, iterable or async iterable of uploads')
  // A generator may have no end.
  return runOf(prepared(options), options, { readsAll: Array.isArray(transcripts) })
}

const optionNames: OptionNames<UploadAllOptions> = {
  ...environmentNames,
  ...{
    client: true,
    project: true,
    baseUrl: true,
    ledger: true,
    transcripts: true,
    shard: true,
    total: true,
    keys: true,
  },
  ...{ concurrency: true, maxInFlight: true, timeoutMs: true, settleMs: true, deadlineMs: true, leaseMs: true },
  ...{ stamp: true, dedupe: true, again: true, skipChanged: true, signal: true },
  ...{ onLedgerError: true, onStop: true, onWait: true, onLease: true },
}

async function* prepared<Tag>(options: UploadAllOptions<Tag>) {
  const { randomId } = environmentOf(options)
  const { shard, dedupe, stamp, timeoutMs = optionsOf(options.client).timeoutMs } = options
  const prepare = createPreparer({ target: targetOf(options), shard, dedupe, stamp, timeoutMs, randomId })
  for await (const given of options.transcripts) {
    const each: BulkUpload<Tag> =
      'upload' in Object(given) ? (given as BulkUpload<Tag>) : { upload: given as TranscriptUpload }
    yield prepare(each)
  }
}

/** The error of an upload that violates the bounds of the service. */
export function invalid(
  { item: { label }, violations }: PreparedUpload<unknown, Violation>,
  caller: 'uploadAll' | 'add' = 'uploadAll',
): InputError {
  const [first, ...more] = violations
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  const place = first?.pointer || 'the upload'
  const message = `${caller}: ${label === '' ? '' : `${label}: `}${place} ${first?.message}${others}.`
  return new InputError('invalid_input', message, 'transcripts.upload', [...violations])
}

/**
 * Send uploads as a preparer, or `withBodies` of a plan, gives them. Results, errors and ledger are those
 * of `uploadAll`.
 */
export const applyUploads = <Tag = undefined>(uploads: Uploads<Tag>, options: RunOptions): UploadRun<Tag> =>
  runOf(uploads, options, { readsAll: false })

type Uploads<Tag> = AsyncIterable<
  PreparedUpload<Tag, Violation> | ReadyUpload<Tag> | UnsendableUpload<Tag> | SkippedUpload<Tag>
>

/** `readsAll`: after the run has stopped, the rest of the uploads is read, and each has its result. */
function runOf<Tag>(uploads: Uploads<Tag>, options: RunOptions, { readsAll }: { readsAll: boolean }): UploadRun<Tag> {
  const tally = createTally(options.total)
  async function* taken(): AsyncGenerator<SendInput<Tag>> {
    for await (const each of uploads) {
      const input = 'decision' in each ? inputOf(each) : each
      if (input === 'other_shard') tally.leave()
      else {
        tally.take()
        yield input
      }
    }
    tally.end()
  }
  async function* results() {
    const run = await startRun(options)
    const input = taken()
    // Without `return`, the rest can be read after the run.
    const kept = { [Symbol.asyncIterator]: () => ({ next: () => input.next() }) }
    let isDone = false
    let isFailed = false
    try {
      for await (const result of withRest(sendAndReconcile<Tag>(readsAll ? kept : input, run), readsAll ? input : [])) {
        tally.add(result)
        yield result
      }
      tally.addUnresolved(run.ledger?.unresolved() ?? [])
      isDone = true
    } catch (error) {
      isFailed = true
      throw error
    } finally {
      // Results of uploads under way were not asked for.
      if (!isDone && !isFailed) tally.leaveOff()
      // The results until then are written, whatever failed; an error of the run is not hidden by one of its end.
      const released = run.release()
      await (isDone ? released : released.catch(() => {}))
    }
    if (run.signal.aborted || tally.summary().not_sent !== 0) run.throwIfStopped()
  }
  const iterator = results()
  return { summary: tally.summary, [Symbol.asyncIterator]: () => iterator }
}

/** The results of a run, and those of the inputs that it did not take, also if it ends with an error. */
async function* withRest<Tag>(
  results: AsyncIterable<UploadResult<Tag>>,
  rest: AsyncIterable<SendInput<Tag>> | Iterable<SendInput<Tag>>,
): AsyncGenerator<UploadResult<Tag>, void, undefined> {
  let failure: { error: unknown } | undefined
  try {
    yield* results
  } catch (error) {
    failure = { error }
  }
  for await (const each of rest) yield 'json' in each ? { item: each.item, result: 'not_sent' } : resultUnsent(each)
  if (failure) throw failure.error
}

/** The input of `sendUploads` for a prepared upload, unless another shard sends it. */
function inputOf<Tag>(upload: PreparedUpload<Tag, Violation>): SendInput<Tag> | 'other_shard' {
  const { item, json, decision } = upload
  if (decision === 'other_shard') return decision
  if (decision === 'invalid') return { item, error: invalid(upload) }
  return decision === 'skipped_duplicate' ? { item, skipped: decision } : { item, json }
}

/** Gives one result for each upload that it takes, also if it ends with an error. */
async function* sendAndReconcile<Tag>(
  uploads: AsyncIterable<SendInput<Tag>>,
  run: Run,
): AsyncGenerator<UploadResult<Tag>, void, undefined> {
  const { ledger, signal, options } = run
  const unresolvedIn = (keys: ReadonlySet<string> | undefined) =>
    ledger?.unresolved().filter(({ key }) => keys?.has(key) ?? true) ?? []
  await reconcileEntries(run, unresolvedIn(options.keys), { waits: false })
  const unknown: UploadResult<Tag>[] = []
  /** By index: an upload that is sent again has another item. */
  const pending = new Map<number, PendingUpload<Tag>>()
  let failure: { error: unknown } | undefined
  try {
    for await (const each of sendUploads(uploads, run)) {
      if ('entry' in each) pending.set(each.item.index, each)
      else if (each.result === 'unknown') unknown.push(each)
      else yield each
    }
  } catch (error) {
    failure = { error }
  }
  const mayAsk = failure === undefined && !signal.aborted && !ledger?.mayBeLost()
  if (mayAsk) {
    const keys = new Set(unknown.map(({ item }) => item.identity.key))
    // Without an answer of the service they stay unknown.
    await reconcileEntries(run, unresolvedIn(keys), { waits: false }).catch(() => {})
  }
  for (const each of unknown)
    yield mayAsk && ledger ? await resultAfterReconciling(run, ledger, each).catch(() => each) : each
  if (mayAsk && pending.size > 0) {
    try {
      const keys = new Set([...pending.values()].map(({ entry }) => entry.key))
      await reconcileEntries(run, unresolvedIn(keys), { waits: true })
      for await (const each of sendUploads([...pending.values()], run)) {
        if ('entry' in each) pending.set(each.item.index, each)
        else {
          pending.delete(each.item.index)
          yield each
        }
      }
    } catch (error) {
      failure = { error }
    }
  }
  for (const each of pending.values()) yield stillUnknown(each)
  if (failure) throw failure.error
}

/** The result of an upload that was unknown, after another search. */
export async function resultAfterReconciling<Tag>(
  { client, call }: Run,
  ledger: Ledger,
  each: UploadResult<Tag>,
): Promise<UploadResult<Tag>> {
  if (each.result !== 'unknown') return each
  const { item, error, changedFrom } = each
  const changed = changedFrom !== undefined && { changedFrom }
  const entry = ledger.stateOf(item.identity)
  if (entry?.state === 'done') {
    // The record that the answer would have held.
    const { turns: _, annotations: __, ...record } = await client.transcripts.get(entry.id, call())
    return { item, result: 'uploaded', transcript: record as unknown as Transcript, ...changed }
  }
  if (entry?.state === 'unknown') return { ...each, candidates: entry.candidates }
  if (entry?.state !== 'unsent') return each
  // It is not stored and can no longer arrive: report why its answer was lost.
  const cause = rootOf(error)
  return { ...notStored(item, { error: cause, step: stepAfter(cause) }), ...changed }
}

/** The failure behind an unknown result. */
function rootOf(error: unknown): unknown {
  const failure = error instanceof BulkError && error.cause instanceof AmbiguousWriteError ? error.cause : error
  return Object(failure).cause ?? failure
}

/** The result of an upload of an earlier run that stays unknown. */
export function stillUnknown<Tag>({ item, entry }: PendingUpload<Tag>): UploadResult<Tag> {
  const error = possiblyStored('An earlier run sent it and got no answer: it may be stored.')
  return { item, result: 'unknown', error, step: error.step, candidates: entry.candidates }
}

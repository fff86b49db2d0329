import {
  AmbiguousWriteError,
  InputError,
  type Transcript,
  type TranscriptUpload,
  timeLimitsOf,
  type Violation,
} from '@svc/client'
import { BulkError, stepAfter } from '../bulk-error.js'
import { environmentOf } from '../environment-of.js'
import type { Ledger } from '../ledger/index.js'
import { placeOf, type UnsendableUpload } from './plan.js'
import { type BulkUpload, createPreparer, type ReadyUpload, type UploadItem } from './prepare.js'
import { createTally, type SkipReason, type UploadResult, type UploadSummary } from './result.js'
import { type Run, type RunOptions, reconcileEntries, startRun, targetOf } from './run.js'
import { type PendingUpload, possiblyStored, sendUploads } from './send.js'

/** An upload of the input that is not sent, and why. */
export interface SkippedUpload {
  /** Why it is not sent. */
  skipped: SkipReason
}

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
  const { client, project, ledger, transcripts, shard, dedupe } = Object(options) as Partial<UploadAllOptions<Tag>>
  if (!client?.transcripts) throw unusable('client', 'a client of createClient')
  if (typeof project !== 'string' || project === '') throw unusable('project', 'the id of a project')
  // Without a home folder there is none, which `onLedgerError` may accept.
  const hasNoFolder = 'ledger' in options && ledger === undefined
  if (!hasNoFolder && (typeof ledger !== 'string' || ledger === '')) throw unusable('ledger', 'the path of a folder')
  const source = Object(transcripts)
  if (!(Symbol.asyncIterator in source || Symbol.iterator in source) || typeof transcripts === 'string')
    throw unusable('transcripts', 'an array, iterable or async iterable of uploads')
  if (shard?.files && dedupe)
    throw unusable('dedupe', 'absent: a shard by file does not see equal transcripts of others')
  return applyUploads(prepared(options), options)
}

async function* prepared<Tag>(options: UploadAllOptions<Tag>) {
  const { randomId } = environmentOf(options)
  const { stamp, timeoutMs = timeLimitsOf(options.client).timeoutMs } = options
  const { shard } = options
  const prepare = createPreparer({ target: targetOf(options), shard, stamp, timeoutMs, randomId })
  for await (const given of options.transcripts) {
    const { upload: body = given } = Object(given) as Partial<BulkUpload<Tag>>
    if (typeof body !== 'object' || body === null) throw unusable('each of transcripts', 'an upload')
    const { file } = 'upload' in given ? given : {}
    if (shard?.files && !(file !== undefined && shard.files.has(file)))
      throw unusable('file of each of transcripts', 'one of shard.files')
    const upload = prepare<Tag>('upload' in given ? given : { upload: given })
    const { item, json, violations } = upload
    const place = placeOf(upload, options)
    if (place === 'invalid') yield { item, error: invalid(item, violations) }
    else if (place === 'planned' || place === 'duplicate') yield { item, json }
    else yield { skipped: place }
  }
}

const unusable = (option: string, expected: string): InputError =>
  new InputError('invalid_input', `uploadAll: expected ${option} to be ${expected}.`, 'uploadAll')

function invalid({ label }: UploadItem<unknown>, violations: readonly Violation[]): InputError {
  const [first, ...more] = violations
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  const message = `uploadAll: ${label}: ${first?.pointer} ${first?.message}${others}.`
  return new InputError('invalid_input', message, 'transcripts.upload', [...violations])
}

/**
 * Send uploads that are checked already, as `planUploads` and `withBodies` give them. Results, errors and ledger are those
 * of `uploadAll`.
 */
export function applyUploads<Tag = undefined>(
  uploads: AsyncIterable<ReadyUpload<Tag> | UnsendableUpload<Tag> | SkippedUpload>,
  options: RunOptions,
): UploadRun<Tag> {
  const tally = createTally()
  async function* taken() {
    for await (const each of uploads) {
      if ('skipped' in each) {
        tally.skip(each.skipped)
        continue
      }
      tally.take()
      yield each
    }
    tally.end()
  }
  async function* results() {
    const run = await startRun(options)
    let isDone = false
    try {
      for await (const result of sendAndReconcile<Tag>(taken(), run)) {
        tally.add(result)
        yield result
      }
      tally.addUnresolved(run.ledger?.unresolved() ?? [])
      isDone = true
    } finally {
      // The results until then are written, whatever failed; an error of the run is not hidden by one of its end.
      const released = run.release()
      await (isDone ? released : released.catch(() => {}))
    }
    run.signal.throwIfAborted()
    if (tally.summary().not_sent !== 0) run.stop.throwIfAborted()
  }
  const iterator = results()
  return { summary: tally.summary, [Symbol.asyncIterator]: () => iterator }
}

async function* sendAndReconcile<Tag>(
  uploads: AsyncIterable<ReadyUpload<Tag> | UnsendableUpload<Tag>>,
  run: Run,
): AsyncGenerator<UploadResult<Tag>, void, undefined> {
  const { ledger, signal, options } = run
  const unresolvedIn = (keys: ReadonlySet<string> | undefined) =>
    ledger?.unresolved().filter(({ key }) => keys?.has(key) ?? true) ?? []
  await reconcileEntries(run, unresolvedIn(options.keys), { waits: false })
  const unknown: UploadResult<Tag>[] = []
  const pending: PendingUpload<Tag>[] = []
  for await (const each of sendUploads(uploads, run)) {
    if ('entry' in each) pending.push(each)
    else if (each.result === 'unknown') unknown.push(each)
    else yield each
  }
  if (!signal.aborted) {
    const keys = new Set(unknown.map(({ item }) => item.identity.key))
    // Without an answer of the service they stay unknown.
    await reconcileEntries(run, unresolvedIn(keys), { waits: false }).catch(() => {})
  }
  for (const each of unknown) yield ledger ? await resultAfterReconciling(run, ledger, each).catch(() => each) : each
  if (pending.length === 0 || signal.aborted) return
  await reconcileEntries(run, unresolvedIn(new Set(pending.map(({ entry }) => entry.key))), { waits: true })
  for await (const each of sendUploads(pending, run)) yield 'entry' in each ? stillUnknown(each) : each
}

/** The result of an upload that was unknown, after another search. */
async function resultAfterReconciling<Tag>(
  { client, call }: Run,
  ledger: Ledger,
  each: UploadResult<Tag>,
): Promise<UploadResult<Tag>> {
  if (each.result !== 'unknown') return each
  const { item, error } = each
  const entry = ledger.stateOf(item.identity)
  if (entry?.state === 'done') {
    // The record that the answer would have held.
    const { turns: _, annotations: __, ...record } = await client.transcripts.get(entry.id, call())
    return { item, result: 'uploaded', transcript: record as unknown as Transcript }
  }
  if (entry?.state !== 'unsent') return each
  // It is not stored and can no longer arrive: report why its answer was lost.
  const cause = rootOf(error)
  return { item, result: 'failed', error: cause, step: stepAfter(cause) }
}

/** The failure behind an unknown result. */
function rootOf(error: unknown): unknown {
  const own = error instanceof BulkError && error.cause instanceof AmbiguousWriteError ? error.cause : error
  return Object(own).cause ?? own
}

/** The result of an upload of an earlier run that stays unknown. */
function stillUnknown<Tag>({ item, entry }: PendingUpload<Tag>): UploadResult<Tag> {
  const error = possiblyStored('An earlier run sent it and got no answer: it may be stored.')
  return { item, result: 'unknown', error, step: error.step, candidates: entry.candidates }
}

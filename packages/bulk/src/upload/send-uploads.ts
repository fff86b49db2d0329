import {
  AmbiguousWriteError,
  type CallOptions,
  createFailureClassifier,
  createShutdown,
  type ItemFailure,
  mapConcurrent,
  type NextStep,
  ServiceError,
  SvcError,
  type Watched,
} from '@svc/client'
import { idReused } from '@svc/client/node'
import { count } from '@svc/text'
import { BulkError, stepAfter } from '../bulk-error.js'
import { type ClosingEvent, type EntryState, statusOf } from '../ledger/index.js'
import type { SkippedUpload, UnsendableUpload } from './plan.js'
import { asNewOccurrence, fingerprintOf, intentOf, type ReadyUpload, type UploadItem, withWrite } from './prepare.js'
import type { Run } from './run.js'
import { notStored, type UploadResult } from './upload-result.js'

/** An upload that an earlier run may have stored, which has to be reconciled first. */
export interface PendingUpload<Tag> extends ReadyUpload<Tag> {
  entry: EntryState & { state: 'open' | 'unknown' }
}

/** An upload to send, or one whose result is known. */
export type SendInput<Tag> = ReadyUpload<Tag> | UnsendableUpload<Tag> | SkippedUpload<Tag>

/** Failures that all further uploads would share. */
export const stopsTheRun: readonly NextStep[] = ['fix_input', 'check_key', 'check_id', 'try_later', 'report_bug']

/**
 * The number of uploads that are recorded ahead of those that are sent, because a disk may take longer to sync than the
 * service to answer. After a sudden end they count as unknown, and the next run searches for them.
 */
export const readyAhead = 16

/**
 * Send uploads as they come, so many at a time, each written into the ledger before. Takes no more of them after a failure
 * that all further ones would share, or once the run is stopped. `onStopped`: called after such a failure, so that a source
 * which waits for its next upload can end.
 */
export async function* sendUploads<Tag>(
  uploads: AsyncIterable<SendInput<Tag>> | Iterable<ReadyUpload<Tag>>,
  run: Run,
  onStopped: () => void = () => {},
): AsyncGenerator<UploadResult<Tag> | PendingUpload<Tag>, void, undefined> {
  const { ledger, signal, concurrency, environment } = run
  // A second signal ends the process at once, so the ledger is written at the first.
  const writeDown = () => ledger?.write()
  signal.addEventListener('abort', writeDown, { once: true })
  const sender = createSender<Tag>(run)
  const work = async (each: SendInput<Tag>) => {
    const result = await sender.send(each)
    if (sender.isStopped()) onStopped()
    // Answers that are there already first make room for what is sent next.
    await environment.turn()
    return result
  }
  try {
    const until = () => sender.isStopped() || run.stop.aborted
    for await (const settled of mapConcurrent(uploads, work, { concurrency: concurrency + readyAhead, until })) {
      if (settled.status === 'rejected') throw settled.reason
      yield settled.value
    }
  } finally {
    sender.end()
    signal.removeEventListener('abort', writeDown)
  }
}

/** The time to be answered of uploads that are under way when the run is stopped, or its deadline passes. */
const graceMs = 5_000

function createSender<Tag>(run: Run) {
  // One function: every send shares the slots, the shutdown and the ledger.
  const { client, project, ledger, target, stop, options, environment, slots } = run
  const shutdown = createShutdown({
    signal: stop,
    shutdownTimeoutMs: graceMs,
    clock: environment.clock,
    ...(options.onStop && { onStop: options.onStop }),
  })
  const failures = createFailureClassifier()
  let isStopped = false

  /** Close the intent of an upload that got no success, and give its result. */
  function close(item: UploadItem<Tag>, cause: unknown, sent: SentBefore): UploadResult<Tag> {
    const failure = failures.failed(cause, stepAfter(cause))
    const isAborted = stop.aborted && cause === stop.reason
    const closing = isAborted ? abortedAs(sent) : closingAfter(failure, sent)
    ledger?.markEnded(item.identity.key)
    ledger?.close(item.identity.key, closing)
    const conflict = isConflict(cause)
    const isUnsearchable = closing.event === 'unknown' && closing.candidates.length === 0 && !conflict
    // Set synchronously, before other uploads resume.
    isStopped ||= isAborted || stopsTheRun.includes(failure.step) || isUnsearchable
    if (closing.event !== 'unknown') return isAborted ? { item, result: 'not_sent' } : notStored(item, failure)
    const { error, step } = conflict ? { error: conflicting(cause), step: 'reconcile' as const } : failure
    const shown = ledger && error instanceof AmbiguousWriteError ? possiblyStored(error.message, error) : error
    return { item, result: 'unknown', candidates: closing.candidates, error: shown, step }
  }

  async function deliver(
    { item, json }: ReadyUpload<Tag>,
    wasSentBefore: boolean,
    { options: watch, wasSent }: Watched,
  ): Promise<UploadResult<Tag>> {
    const { key } = item.identity
    if (stop.aborted || isStopped) {
      ledger?.close(key, { event: 'unsent' })
      return { item, result: 'not_sent' }
    }
    try {
      const { timeoutMs, settleMs } = options
      const { deadlineMs: left } = run.call()
      const deadlineMs = left === undefined ? undefined : left + graceMs
      let wasSearched = false
      const onEvent: CallOptions['onEvent'] = (event) => {
        wasSearched = event.method === 'GET'
        watch.onEvent?.(event)
      }
      // Uploads are checked and stamped already.
      const call = { ...watch, onEvent, validate: false, stamp: false, deadlineMs, settleMs, timeoutMs }
      const { id, at } = item.once ?? {}
      // Its stamp is that of its id, so that the client searches for it and sends the same JSON.
      const transcript =
        id === undefined || at === undefined
          ? await client.transcripts.uploadJson(project, json, call)
          : await client.transcripts.upload(project, JSON.parse(json), { ...call, stamp: true, once: id })
      failures.succeeded()
      // The copy of a process that took the ledger over has the same stamp, and may be listed before the own one.
      const mayBeOther = wasSearched && ledger?.mayBeLost()
      const done = { event: 'done', id: transcript.id, status: statusOf(transcript) } as const
      ledger?.close(key, mayBeOther ? { event: 'unknown', candidates: [transcript.id] } : done)
      if (ledger?.mayBeLost()) return storedAfterLoss(item, transcript.id)
      if (at !== undefined && !wasSent()) return { item, result: 'already_uploaded', id: transcript.id, by: 'id' }
      return { item, result: 'uploaded', transcript }
    } catch (cause) {
      return close(item, cause, { wasSent: wasSent(), wasSentBefore })
    }
  }

  async function sendReady(each: ReadyUpload<Tag>): Promise<UploadResult<Tag> | PendingUpload<Tag>> {
    const { item } = each
    const { again = false, skipChanged = false } = options
    let entry = ledger?.stateOf(item.identity, fingerprintOf(item))
    if (ledger && !entry) {
      await run.completeRebuild()
      entry = ledger.stateOf(item.identity, fingerprintOf(item))
    }
    if (entry?.state === 'unidentified' && !again) return unidentified(item, entry.candidates)
    if (entry?.state === 'open' || entry?.state === 'unknown') return { ...each, entry }
    if (entry?.state === 'done' && !again) {
      const { id, by, isOfOtherRecord } = entry
      if (item.once && by === 'source') throw idReused(id)
      // From now on it is known by its key.
      if (by === 'same_content')
        ledger?.append({ event: 'done', key: item.identity.key, id, name: item.name, turns: item.turns })
      return { item, result: 'already_uploaded', id, by, ...(isOfOtherRecord && { isOfOtherRecord }) }
    }
    const changedFrom = entry?.state === 'done' ? undefined : ledger?.changedFrom(item.identity, item.externalId)
    if (changedFrom !== undefined && skipChanged) return { item, result: 'skipped_changed', changedFrom }
    const occurrence = entry?.state === 'done' && ledger ? asNewOccurrence(each, ledger, target) : each
    const { key } = occurrence.item.identity
    const earlier = ledger?.item(key)
    // Refused for certain, it was not stored.
    const wasSentBefore = earlier?.intent !== undefined && earlier.state !== 'refused'
    const ready = withWrite(occurrence, earlier?.intent?.write)
    await ledger?.intend([intentOf(ready.item)])
    const result = await slots.run(item.bytes, (slot) =>
      shutdown.watch((watched) => deliver(ready, wasSentBefore, watched), {
        sending() {
          slot.resume()
          ledger?.markSent(key)
        },
        // Other uploads go on while the client waits until a lost one must be listed.
        searching: slot.pause,
      }),
    )
    return changedFrom !== undefined ? { ...result, changedFrom } : result
  }

  return {
    /** Send an upload. */
    async send(each: SendInput<Tag>): Promise<UploadResult<Tag> | PendingUpload<Tag>> {
      const { item } = each
      if (!('json' in each)) return resultUnsent(each)
      try {
        return await sendReady(each)
      } catch (error) {
        if (stop.aborted && error === stop.reason) return { item, result: 'not_sent' }
        const step = stepAfter(error)
        isStopped ||= stopsTheRun.includes(step)
        return notStored(item, { error, step })
      }
    },
    isStopped: () => isStopped,
    end: shutdown.end,
  }
}

/** The result of an input that is not to be sent. */
export function resultUnsent<Tag>(each: UnsendableUpload<Tag> | SkippedUpload<Tag>): UploadResult<Tag> {
  const { item } = each
  if ('skipped' in each) return { item, result: each.skipped }
  return notStored(item, { error: each.error, step: stepAfter(each.error) })
}

/** The attempts in which the service may have received an upload: this one, or an earlier one that may still be stored. */
interface SentBefore {
  wasSent: boolean
  wasSentBefore: boolean
}

/** The ledger event that closes an aborted request. The reason of an abort, any error at all, says nothing about the request. */
const abortedAs = ({ wasSent }: SentBefore): ClosingEvent =>
  wasSent ? { event: 'unknown', candidates: [] } : { event: 'unsent' }

/** The ledger event that closes a failed request. */
function closingAfter({ error, step }: ItemFailure, { wasSent, wasSentBefore }: SentBefore): ClosingEvent {
  const conflict = isConflict(error)
  if (wasSentBefore && conflict) return { event: 'unknown', candidates: [], conflict }
  if (error instanceof AmbiguousWriteError)
    return { event: 'unknown', candidates: error.candidates, ...(conflict && { conflict }) }
  if (error instanceof ServiceError && step !== 'try_later') return { event: 'refused', status: error.status }
  // The others of the client are certain of it: refused before, never reached, or kept back by the rate limiter.
  const isUnsent = !wasSent || error instanceof SvcError
  return isUnsent ? { event: 'unsent' } : { event: 'unknown', candidates: [] }
}

/** True if the service says that it has such a record: then an upload of unknown outcome is not absent. */
function isConflict(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 409
  return error instanceof Error && error.cause !== undefined && isConflict(error.cause)
}

const conflicting = (cause: unknown): BulkError =>
  new BulkError(
    'possibly_stored',
    'The service reports a conflict (409) but does not list the transcript; it may be stored.',
    {
      hint: 'run it again later: it searches for the transcript first',
      cause,
    },
  )

/** The result of an upload that was stored after another process had taken the ledger over, and perhaps sent it, too. */
function storedAfterLoss<Tag>(item: UploadItem<Tag>, id: string): UploadResult<Tag> {
  const message = `It is stored as ${id}, but another process took the ledger over before the answer came: it may be stored twice.`
  const error = new BulkError('possibly_stored', message, {
    hint: 'run `svc uploads reconcile` when that process has ended; `svc uploads list` shows the ids under which an upload is stored',
  })
  return { item, result: 'unknown', error, step: error.step, candidates: [id] }
}

/** The result of an upload that may be a transcript without a stamp. */
function unidentified<Tag>(item: UploadItem<Tag>, candidates: readonly string[]): UploadResult<Tag> {
  const shown = candidates.slice(0, 3).join(', ')
  const verb = candidates.length === 1 ? 'looks' : 'look'
  const error = new BulkError(
    'possibly_stored',
    `It may be stored: ${count(candidates.length, 'transcript')} of the project without a stamp ${verb} the same: ${shown}.`,
    {
      hint: 'run `svc uploads reconcile`, which reads them again; if they still do not show it, --again (the option again) uploads it anyway',
    },
  )
  return { item, result: 'unknown', error, step: error.step, candidates }
}

/** The error of an upload that the ledger keeps as unknown. */
export const possiblyStored = (message: string, cause?: unknown): BulkError =>
  new BulkError('possibly_stored', message, {
    hint: 'run it again: it searches for the transcript first and sends it only if it is not stored; or run `svc uploads reconcile`',
    ...(cause !== undefined && { cause }),
  })

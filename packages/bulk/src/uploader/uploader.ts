import {
  type Clock,
  InputError,
  jsonValueOf,
  type NextStep,
  optionsOf,
  ServiceError,
  type SvcClient,
  sleep,
  type TranscriptUpload,
} from '@svc/client'
import { instantOf, onceStamp } from '@svc/client/node'
import { BulkError, stepAfter } from '../bulk-error.js'
import { environmentNames, environmentOf, type GivenEnvironment } from '../environment-of.js'
import { checkOptions, type OptionNames, refuseUnknownOption, wrongOption } from '../options.js'
import {
  type BulkUpload,
  createPreparer,
  invalid,
  type OnceId,
  type PendingUpload,
  type ReadyUpload,
  type Run,
  reconcileEntries,
  resultAfterReconciling,
  sendUploads,
  startRun,
  stillUnknown,
  stopsTheRun,
  targetOf,
  type UploadItem,
  type UploadResult,
} from '../upload/index.js'
import { copiesOf } from './copies.js'
import { openWaiting, refuseOtherTargets, type Waiting, type WaitingEntry } from './waiting.js'

/** Options of `createUploader`. Durations in milliseconds. */
export interface UploaderOptions extends GivenEnvironment {
  /** The client that sends. */
  client: SvcClient
  /** The id of the project to upload to: `hp-<uuid>`. */
  project: string
  /** The public base URL, which is part of each key in the ledger. Default: that of the client. */
  baseUrl?: string | undefined
  /** A folder for this project alone, which is created if it is missing: what waits, and what is stored. Keep it. */
  ledger: string
  /** The number of uploads at the same time. Default 4. */
  concurrency?: number | undefined
  /** The bytes of the uploads that are sent at the same time; one is always sent. Default 32 000 000. */
  maxInFlight?: number | undefined
  /** The bytes that may wait on disk. An `add` above it rejects with a BulkError, `too_much_waiting`. Default 268 435 456. */
  maxWaitingBytes?: number | undefined
  /** The time for one attempt of an upload. Default: that of the client. */
  timeoutMs?: number | undefined
  /** How long the list of the service may lag behind an upload. Default: that of the client, 15 000. */
  settleMs?: number | undefined
  /** False: do not stamp the uploads. Their results are then unknown more often, and `id` is an InputError. Default true. */
  stamp?: boolean | undefined
  /**
   * Called with the result of each `add`, repeated ones included; after a restart also of earlier ones. After a crash a result
   * may come twice. Results are not kept for later; an error of the callback is the event `callback_failed`.
   */
  onResult?: ((result: UploaderResult) => unknown) | undefined
  /** Called when sending pauses, when the service answers again, and when `onResult` fails. Errors of the callback are ignored. */
  onEvent?: ((event: UploaderEvent) => unknown) | undefined
}

/** The final result of one `add`; `id` and the time of the conversation are in `item.once`. */
export type UploaderResult =
  | Extract<UploadResult, { result: 'uploaded' | 'already_uploaded' | 'unknown' | 'failed' }>
  /**
   * A second result, `settleMs` after the first: another process stored the same id at the same moment. `ids`: of all its
   * records, the one of the first result included.
   */
  | { item: UploadItem; result: 'duplicate'; ids: readonly string[] }

/** A pause of sending, or of a search, or an error of the app. */
export type UploaderEvent =
  /**
   * The client gave up a call, or the ledger cannot be used. Everything is kept. `step`: what would help; `try_later` for an
   * outage or a rate limit, `check_key` and `check_id` for a refused key or project. `ms`: until the next attempt.
   */
  | { type: 'paused'; error: unknown; step: NextStep; ms: number }
  /** The service has answered an upload again. */
  | { type: 'resumed' }
  /** `uploads` without an answer, as after a kill, are not in the list yet: they may still arrive, and are searched for again in `ms`. */
  | { type: 'searching'; uploads: number; ms: number }
  /** Another process may have the folder: nothing is recorded or sent until its lease has ended, at most for `ms`. */
  | { type: 'locked'; ms: number }
  /** `onResult` threw, or its promise was rejected. The result is not given again. */
  | { type: 'callback_failed'; error: unknown }

/** The numbers of an uploader. Of what is on disk, those of the last time that its files were open, also after `close`. */
export interface UploaderStats {
  /** Recorded, and not yet sent. */
  waiting: number
  /** Recorded as under way: `concurrency` of them are sent or searched for, and up to 16 come next. */
  open: number
  /** Results since the start that say `uploaded` or `already_uploaded`, also those of an upload that was added twice. */
  stored: number
  /** Results since the start that say `failed` or `unknown`. */
  failed: number
  /** The bytes on disk of what is waiting or open, and of what has an `id` and is looked at once more after `settleMs`. */
  waitingBytes: number
  /** The age of the oldest upload that is waiting or open, in milliseconds; 0 if there is none. */
  oldestMs: number
}

/** Uploads in the background. */
export interface Uploader extends AsyncDisposable {
  /**
   * Record an upload. Resolves once it survives `kill -9` and a loss of power, without waiting for the network. The same content
   * and external id again are the same upload; `id`: an id of your own identifies it instead, also across processes if the
   * upload has a `sourceTimestamp`.
   *
   * @throws {InputError} with `violations` for an upload that the service would refuse
   * @throws {BulkError} if the disk is full, too much waits, the ledger cannot be used, or the uploader is closed
   */
  add(upload: TranscriptUpload, options?: { id?: string | undefined }): Promise<void>
  /**
   * Resolves to true once all uploads have their result whose `add` was called before, also if it has not resolved yet; to false
   * after `timeoutMs`. Default: no limit.
   */
  flush(options?: { timeoutMs?: number | undefined }): Promise<boolean>
  /** Take no more, give the requests under way 5 s to be answered, keep the rest on disk, and release the ledger. */
  close(): Promise<void>
  /** The numbers at present. */
  stats(): UploaderStats
}

/** A failed key, project or setting is tried again so often, in milliseconds. */
const slowMs = 60_000
const mostPauseMs = 60_000
const defaultWaitingBytes = 1 << 28
/** The most uploads that are searched for after a lost answer, or wait for an equal one, before no more are taken. */
const mostHeld = 200
/** So often an upload is searched for before its result is `unknown`. */
const mostSearches = 3
/** So often a stored upload that the list does not show is looked for once more. */
const mostLooks = 40

/** An upload that was read and has no result yet. */
interface Held {
  entry: WaitingEntry
  ready: ReadyUpload
  searches: number
}

/**
 * Upload conversations of a running app in the background, each exactly once, for as long as the app runs. `add` records an
 * upload on disk; it is sent as soon as the service takes it, also after a restart, without being given once more. Outages,
 * rate limits and refused keys pause the sending and never end it
 * (interface: Endpoints › POST /projects/{projectId}/transcripts).
 *
 * @throws {InputError} for an option that is missing or of another type
 *
 * @example
 * const uploader = createUploader({ client: svc, project, ledger: './conversations' })
 * await uploader.add({ name: 'Call 7', turns })
 * await uploader.close()
 */
export function createUploader(options: UploaderOptions): Uploader {
  // One function: adding, sending, searching and closing share the files, the counts and the wake-up calls.
  checkUploaderOptions(options)
  const { client, project, ledger: folder, concurrency = 4 } = options
  const { stamp = true, maxWaitingBytes = defaultWaitingBytes } = options
  const environment = environmentOf(options)
  const { clock, randomId, disk } = environment
  const target = targetOf(options)
  const settleMs = options.settleMs ?? optionsOf(client).settleMs ?? 15_000
  const timeoutMs = options.timeoutMs ?? optionsOf(client).timeoutMs
  const stop = new AbortController()
  const counts = { stored: 0, failed: 0, adding: 0 }
  let isClosed = false
  /** The pauses since the service last answered an upload. */
  let failures = 0
  /** The error of an `add` that found the ledger taken over by another process, until it is opened once more. */
  let lost: BulkError | undefined
  let opened: Promise<{ run: Run; waiting: Waiting }> | undefined
  let waiting: Waiting | undefined
  /** By the index of its item: read, and without a result. */
  const held = new Map<number, Held>()
  /** Of those, the ones to send, the ones to search for, and those that wait for an equal one. */
  let again: Held[] = []
  const unanswered = new Map<Held, UploadResult | undefined>()
  const lanes = new Map<string, Held[]>()
  /** Stored uploads whose copies are still to be looked for. */
  const looks = new Map<WaitingEntry, { id: string; dueAt: number; count: number }>()
  let nextIndex = 0
  const wakeUps: (() => void)[] = []
  const wake = () => {
    for (const each of wakeUps.splice(0)) each()
  }
  const change = () => new Promise<void>((resolve) => wakeUps.push(resolve))

  const emit = (event: UploaderEvent) => callBack(options.onEvent, event, () => {})
  const give = (result: UploaderResult) =>
    callBack(options.onResult, result, (error) => emit({ type: 'callback_failed', error }))
  /** The service has answered an upload, or was found to have stored it. */
  const resume = () => {
    if (failures > 0) emit({ type: 'resumed' })
    failures = 0
  }

  /** Opens the ledger and what waits. After a failure, the next call tries again. */
  function open() {
    if (isClosed) opened ??= Promise.reject(closedError())
    opened ??= (async () => {
      await releasing
      // Those that were read meanwhile are searched for next, without another wait.
      const onWait = (uploads: number, ms: number) =>
        emit({ type: 'searching', uploads: Math.max(uploads, unanswered.size), ms })
      const onLease = (_: unknown, ms: number) => emit({ type: 'locked', ms })
      const run = await startRun({ ...options, onWait, onLease, signal: stop.signal })
      try {
        refuseOtherTargets(disk, folder, target)
        const isOwner = () => run.ledger?.mayBeLost() !== true
        waiting = openWaiting(disk, folder, target, maxWaitingBytes, isOwner)
        return { run, waiting }
      } catch (error) {
        await run.release().catch(() => {})
        throw error
      }
    })()
    const opening = opened
    opening.catch(() => {
      if (opened === opening) opened = undefined
    })
    return opening
  }

  let releasing: Promise<void> | undefined
  /** Closes the ledger and what waits, which is read again by the next `open`. */
  function release(): Promise<void> {
    releasing ??= closeFiles().finally(() => {
      releasing = undefined
    })
    return releasing
  }

  async function closeFiles(): Promise<void> {
    const current = await opened?.catch(() => undefined)
    opened = undefined
    while (counts.adding > 0) await change()
    const { waiting: notRead, open: read, waitingBytes, oldestMs } = numbers()
    left = { waiting: notRead + read, open: 0, waitingBytes, oldestMs }
    const kept = [...held.values()].map(({ entry }) => entry)
    for (const [entry, { id }] of looks) kept.push({ ...entry, stored: id })
    held.clear()
    unanswered.clear()
    lanes.clear()
    looks.clear()
    again = []
    await waiting?.close(kept)
    waiting = undefined
    await current?.run.release()
  }

  async function prepare(upload: TranscriptUpload, id: string | undefined) {
    let once: (OnceId & { made: Awaited<ReturnType<typeof onceStamp>> }) | undefined
    // Any other value is refused as it is without an id.
    if (id !== undefined && typeof upload === 'object' && upload !== null) {
      if (typeof id !== 'string' || id === '')
        throw new InputError('invalid_input', 'add: expected id to be a text that is not empty.', 'add')
      if (!stamp) throw new InputError('invalid_input', 'add: an id needs the stamp; leave out stamp: false.', 'add')
      // Copied before the first wait, because the caller may change it afterwards.
      const copy = Object(jsonValueOf(upload, 'add')) as TranscriptUpload
      const made = await onceStamp(project, id, copy)
      once = { id, at: instantOf(copy.sourceTimestamp), made }
      upload = copy
    }
    const given: BulkUpload = { upload }
    const prepared = createPreparer({ target, stamp, timeoutMs, randomId, once })(given)
    if (prepared.decision === 'invalid') throw invalid(prepared, 'add')
    if (once && !prepared.item.isStamped) {
      const message = 'add: the upload has a metadata.svc of its own; remove it, or add it without an id.'
      throw new InputError('invalid_input', message, 'add')
    }
    return prepared
  }

  const adds = new Set<Promise<void>>()
  function add(upload: TranscriptUpload, options: { id?: string | undefined } = {}): Promise<void> {
    const adding = record(upload, options).finally(() => {
      adds.delete(adding)
      wake()
    })
    adds.add(adding)
    return adding
  }

  async function record(upload: TranscriptUpload, given: { id?: string | undefined }): Promise<void> {
    if (isClosed) throw closedError()
    refuseUnknownOption('add', Object(given), { id: true })
    const { id } = Object(given) as typeof given
    const { item, json } = await prepare(upload, id)
    const files = (await open()).waiting
    counts.adding++
    try {
      await files.add({ at: new Date(clock.now()).toISOString(), item, json })
    } catch (error) {
      if (error instanceof BulkError && error.code === 'ledger_lost') lost = error
      throw error
    } finally {
      counts.adding--
      wake()
    }
  }

  /** The next upload to send; undefined if there is none at present. */
  function nextToSend(): Held | undefined {
    for (;;) {
      const queued = again.shift()
      if (queued) return queued
      if (unanswered.size + heldBack() >= mostHeld) return undefined
      const entry = waiting?.next()
      if (!entry) return undefined
      if (entry.stored !== undefined) {
        look(entry, entry.stored)
        continue
      }
      const item = { ...entry.item, index: nextIndex++ }
      const one: Held = { entry, ready: { item, json: entry.json ?? '' }, searches: 0 }
      held.set(item.index, one)
      const lane = laneOf(item)
      const others = lanes.get(lane)
      if (!others) {
        lanes.set(lane, [])
        return one
      }
      // An equal one is under way: after its result, this one is already uploaded.
      others.push(one)
    }
  }

  const heldBack = () => [...lanes.values()].reduce((sum, others) => sum + others.length, 0)

  /** Gives the final result of an upload. */
  function finish(one: Held, result: UploaderResult): void {
    const { entry, ready } = one
    held.delete(ready.item.index)
    const lane = laneOf(ready.item)
    const [following, ...others] = lanes.get(lane) ?? []
    if (following) {
      lanes.set(lane, others)
      again.push(following)
    } else lanes.delete(lane)
    const isStored = result.result === 'uploaded' || result.result === 'already_uploaded'
    counts[isStored ? 'stored' : 'failed']++
    give(result)
    if (isStored && ready.item.once?.at !== undefined)
      look(entry, result.result === 'uploaded' ? result.transcript.id : result.id)
    else waiting?.finish(entry)
    wake()
  }

  /** The next step after a result of a sender. `isPaused`: it has failed, and gives the results of what was under way. */
  function settle(
    each: UploadResult | PendingUpload<undefined>,
    { ledger }: Run,
    { isPaused, onFailure }: { isPaused: boolean; onFailure: (failure: Failure) => void },
  ): void {
    const one = held.get(each.item.index)
    if (!one) return
    // Another process has the ledger, and perhaps stored it, too: no search in this one's can tell.
    const isTwice = !('entry' in each) && each.result === 'unknown' && each.candidates.length > 0 && ledger?.mayBeLost()
    if (isTwice) return finish(one, each)
    if ('entry' in each || each.result === 'unknown') {
      if (!('entry' in each) && each.candidates.length === 0) onFailure(each)
      unanswered.set(one, 'entry' in each ? undefined : each)
      search()
      return
    }
    const { result } = each
    const isFinal = result === 'failed' && !stopsTheRun.includes(each.step)
    if (result === 'uploaded' || result === 'already_uploaded' || isFinal) {
      if (!isPaused && isOfTheService(each)) resume()
      finish(one, each)
    } else {
      if ('error' in each) onFailure({ error: each.error, step: ('step' in each && each.step) || 'try_later' })
      again.push(one)
      wake()
    }
  }

  /** The senders that have failed, and still have requests under way. */
  const draining = new Set<Promise<void>>()

  /**
   * Sends what is added, until a failure that all would share, or the end. Resolves to the failure as soon as it is known: other
   * requests under way may take long, and their results are settled as they come.
   */
  async function send({ run }: { run: Run }): Promise<Failure | undefined> {
    let isOver = false
    let failure: Failure | undefined
    async function* source() {
      while (!isOver && !lost && !stop.signal.aborted) {
        const one = nextToSend()
        if (one) yield one.ready
        else await change()
      }
    }
    const end = () => {
      isOver = true
      wake()
    }
    const failed = new Promise<void>((resolve) => {
      const onFailure = (reported: Failure) => {
        failure ??= reported
        if (isOver) resolve()
      }
      const settleAll = async () => {
        for await (const each of sendUploads(source(), run, end)) settle(each, run, { isPaused: isOver, onFailure })
      }
      const settled = settleAll().catch((error: unknown) => {
        // The ledger says no longer what it holds.
        if (failure && error instanceof BulkError) lost = error
        onFailure({ error, step: stepAfter(error) })
      })
      draining.add(settled)
      void settled.finally(() => {
        draining.delete(settled)
        resolve()
        wake()
      })
    })
    await failed
    if (lost) failure ??= { error: lost, step: lost.step }
    lost = undefined
    return failure
  }

  let searching: Promise<void> | undefined
  /** Searches in the background for uploads whose answer was lost. */
  function search(): void {
    searching ??= searchAll()
      .catch(() => {})
      .finally(() => {
        searching = undefined
      })
  }

  async function searchAll(): Promise<void> {
    for (let failures = 0; unanswered.size > 0 && !stop.signal.aborted; ) {
      const { run } = await open()
      const { ledger } = run
      if (!ledger) return
      // After a kill, all that was under way is read at once.
      await environment.turn()
      const batch = [...unanswered]
      try {
        const keyOf = ({ ready }: Held) => ready.item.identity
        const isOwn = (key: string) =>
          batch.some(([one]) => {
            const state = ledger.stateOf(keyOf(one))
            return state !== undefined && 'key' in state && state.key === key
          })
        const entries = ledger.unresolved().filter(({ key }) => isOwn(key))
        await reconcileEntries(run, entries, { waits: true })
        for (const [one, result] of batch) await conclude(run, one, result)
        failures = 0
      } catch {
        await pauseFor(Math.min(mostPauseMs, 1_000 * 2 ** failures++))
      }
      wake()
    }
  }

  /** After a search: send it again, or give its result. */
  async function conclude(run: Run, one: Held, last: UploadResult | undefined): Promise<void> {
    const { ledger } = run
    const { item } = one.ready
    const state = ledger?.stateOf(item.identity)
    if (state?.state === 'done') resume()
    if (!ledger || (state?.state !== 'open' && state?.state !== 'unknown')) {
      const reconciled = last && ledger && state?.state === 'done' && (await resultAfterReconciling(run, ledger, last))
      unanswered.delete(one)
      if (reconciled && reconciled.result === 'uploaded') finish(one, { ...reconciled, item })
      // The search for the id before sending sees what may be it, and the search for the upload does not.
      else if (last?.result === 'unknown' && last.candidates.length > 0 && ++one.searches >= mostSearches)
        finish(one, { ...last, item })
      else again.push(one)
      return
    }
    if (item.once?.at !== undefined && state.key === item.identity.key) {
      const [copy] = (await copiesOf(item, { client, project, call: run.call, clock })).filter(
        ({ key }) => key === item.identity.key,
      )
      if (copy) {
        ledger.close(item.identity.key, { event: 'done', id: copy.id })
        resume()
        unanswered.delete(one)
        again.push(one)
        return
      }
    }
    if (state.candidates.length === 0 && ++one.searches < mostSearches) return pauseFor(settleMs)
    unanswered.delete(one)
    const unknown = last?.result === 'unknown' ? last : stillUnknown({ ...one.ready, entry: state })
    if (unknown.result === 'unknown') finish(one, { ...unknown, item, candidates: state.candidates })
  }

  let looking: Promise<void> | undefined
  function look(entry: WaitingEntry, id: string): void {
    looks.set(entry, { id, dueAt: clock.monotonic() + settleMs, count: 0 })
    looking ??= lookForCopies()
      .catch(() => {})
      .finally(() => {
        looking = undefined
      })
  }

  /** Looks for copies that other processes stored at the same moment, once the list must show them. */
  async function lookForCopies(): Promise<void> {
    for (let failures = 0; looks.size > 0 && !stop.signal.aborted; ) {
      const batch = [...takeFirst(looks, concurrency)]
      await pauseFor((batch[0]?.[1].dueAt ?? 0) - clock.monotonic())
      if (stop.signal.aborted) return
      try {
        const due = batch.filter(([, { dueAt }]) => dueAt <= clock.monotonic())
        await Promise.all(due.map(([entry]) => lookOnce(entry)))
        failures = 0
      } catch {
        await pauseFor(Math.min(mostPauseMs, 1_000 * 2 ** failures++))
      }
    }
  }

  async function lookOnce(entry: WaitingEntry): Promise<void> {
    const { run } = await open()
    const each = looks.get(entry)
    if (!each) return
    const copies = await copiesOf(entry.item, { client, project, call: run.call, clock }, each.id)
    if (!looks.has(entry)) return
    looks.delete(entry)
    const ids = copies.map(({ id }) => id)
    // A list that lags more than it should, or filters in another way.
    if (!ids.includes(each.id) && each.count < mostLooks) {
      looks.set(entry, { ...each, count: each.count + 1, dueAt: clock.monotonic() + settleMs })
      return
    }
    const all = [...new Set([each.id, ...ids])]
    if (all.length > 1) give({ item: entry.item, result: 'duplicate', ids: all })
    waiting?.finish(entry)
  }

  const pauseFor = (ms: number) => (ms <= 0 ? Promise.resolve() : sleep(clock, ms, stop.signal).catch(() => {}))

  async function work(): Promise<void> {
    while (!stop.signal.aborted) {
      let failure: Failure | undefined
      try {
        failure = await send(await open())
      } catch (error) {
        failure = { error, step: stepAfter(error) }
      }
      if (stop.signal.aborted) return
      if (!failure) continue
      // The ledger says no longer what it holds, so it is read again.
      if (failure.error instanceof BulkError && failure.error.code.startsWith('ledger_')) {
        await Promise.all(draining)
        await release().catch(() => {})
      }
      const ms = pauseAfter(failure, failures++, clock)
      emit({ type: 'paused', ...failure, ms: Math.ceil(ms) })
      await pauseFor(ms)
    }
  }

  /** The numbers of what was on disk when the files were last closed. */
  let left = { waiting: 0, open: 0, waitingBytes: 0, oldestMs: 0 }
  function numbers(): typeof left {
    if (!waiting) return left
    const unread = waiting.unread()
    const notSent = again.length + heldBack()
    const oldest = [...held.values()].reduce((first, { entry }) => Math.min(first, Date.parse(entry.at)), Infinity)
    const since = Math.min(oldest, unread > 0 ? Date.parse(waiting.oldest() ?? '') : Infinity)
    return {
      waiting: unread + notSent,
      open: held.size - notSent,
      waitingBytes: waiting.bytes(),
      oldestMs: Number.isFinite(since) ? Math.max(0, clock.now() - since) : 0,
    }
  }

  const working = work()

  async function close(): Promise<void> {
    isClosed = true
    stop.abort(closedError())
    wake()
    await Promise.all([working, searching, looking])
    await Promise.all(draining)
    await release()
  }

  let closing: Promise<void> | undefined
  const uploader: Uploader = {
    add,
    async flush(given = {}) {
      refuseUnknownOption('flush', Object(given), { timeoutMs: true })
      const { timeoutMs: ms } = Object(given) as typeof given
      let isLate = false
      const late = () => {
        isLate = true
        wake()
      }
      const cancel = ms === undefined ? () => {} : clock.after(ms, late)
      const before = [...adds]
      let files: Waiting | undefined
      let last = 0
      const isDone = () => {
        if (before.some((adding) => adds.has(adding))) return false
        // The waiting uploads were read again, after a failure of the disk.
        if (waiting !== files) last = waiting?.added() ?? 0
        files = waiting
        if (!files || files.added() - files.unread() < last) return false
        return ![...held.values()].some(({ entry }) => entry.ordinal <= last)
      }
      open().then(wake, () => {})
      try {
        while (!isDone() && !isLate && !isClosed) await change()
        return isDone()
      } finally {
        cancel()
      }
    },
    close() {
      closing ??= close()
      return closing
    },
    stats: () => ({ ...numbers(), stored: counts.stored, failed: counts.failed }),
    [Symbol.asyncDispose]: () => uploader.close(),
  }
  return uploader
}

function* takeFirst<Value>(values: Iterable<Value>, count: number): Generator<Value, void, undefined> {
  let left = count
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}

/** True for a result that the service gave, as opposed to the ledger. */
function isOfTheService(each: UploadResult): boolean {
  if (each.result === 'already_uploaded') return each.by === 'id'
  return each.result === 'uploaded' || (each.result === 'failed' && each.error instanceof ServiceError)
}

/** The reason of a pause. */
interface Failure {
  error: unknown
  step: NextStep
}

/** How long to wait after the nth failure in a row. */
function pauseAfter({ error, step }: Failure, failures: number, clock: Required<Clock>): number {
  if (step !== 'try_later' && step !== 'reconcile') return slowMs
  const backOff = Math.min(mostPauseMs, 1_000 * 2 ** failures) * (0.5 + clock.random() / 2)
  const asked = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0
  return Math.max(backOff, asked)
}

/** Uploads with one of these are the same, or have the same id. */
const laneOf = ({ identity: { source, key } }: UploadItem): string => source ?? key

const closedError = (): BulkError =>
  new BulkError('uploader_closed', 'The uploader is closed, so this upload was not recorded.', {
    hint: 'add it before close(), or to a new uploader',
  })

/** The app's own mistake must not end the sending. */
function callBack<Value>(
  callback: ((value: Value) => unknown) | undefined,
  value: Value,
  onError: (error: unknown) => void,
): void {
  try {
    const returned: unknown = callback?.(value)
    if (returned instanceof Promise) returned.catch(onError)
  } catch (error) {
    onError(error)
  }
}

const optionNames: OptionNames<UploaderOptions> = {
  ...environmentNames,
  ...{ client: true, project: true, baseUrl: true, ledger: true, concurrency: true, maxInFlight: true },
  ...{ maxWaitingBytes: true, timeoutMs: true, settleMs: true, stamp: true, onResult: true, onEvent: true },
}

function checkUploaderOptions(options: UploaderOptions): void {
  checkOptions('createUploader', Object(options), optionNames)
  const { project, maxWaitingBytes, concurrency } = options
  // The service would refuse each upload, which is then no longer kept.
  if (!/^hp-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(project))
    throw wrongOption('createUploader', 'project', 'the id of a project, hp-<uuid>')
  if (maxWaitingBytes !== undefined && !(maxWaitingBytes > 0))
    throw wrongOption('createUploader', 'maxWaitingBytes', 'a number above 0')
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1))
    throw wrongOption('createUploader', 'concurrency', 'a whole number from 1')
}

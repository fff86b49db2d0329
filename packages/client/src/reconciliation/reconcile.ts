import { sleep } from '../clock.js'
import {
  AmbiguousWriteError,
  type Attempt,
  ambiguousWriteError,
  ConnectionError,
  type Fingerprint,
  misconfigurationOf,
  ServiceError,
} from '../errors/index.js'
import { type CallContext, type Ended, type Reply, type ResponsePromise, send } from '../http/index.js'
import { lazily } from '../lazily.js'
import type { CallOptions } from '../options.js'
import type { PageBody } from '../pagination/index.js'
import { historyOf, noRetry, waitFor } from '../retry/index.js'
import type { PageQuery, TranscriptFilters } from '../types.js'
import { limits } from '../validation.js'
import { type Content, contentMatch, type Stored, type WriteQuery } from './match.js'
import { idReused, stampOnce } from './once.js'
import { concernsSearch, type FoundWrite, type SearchedList, type SearchOptions, searchWrites } from './search.js'
import { stampOf, withStamp } from './stamp.js'

/** Adds an id and deletes the oldest one if there are more than `count`. */
function addBounded(ids: Set<string>, id: string, count: number): void {
  ids.add(id)
  if (ids.size > count) ids.delete(ids.values().next().value as string)
}

/**
 * Sends a write. If its outcome is unknown, searches for its record: a record found is the answer; a record provably
 * absent means that the write is sent again; otherwise throws an AmbiguousWriteError.
 */
async function writeOnce<Sent extends object>(
  call: CallContext,
  record: WrittenRecord<Sent>,
  sent: () => Sent,
): Promise<Ended> {
  const { request, settings, state } = call
  const { inFlight, unresolved, ownRecordIds } = state
  // `retry: false` promises a single request.
  const isSearched = settings.reconcile && settings.retry !== noRetry
  const lookup = lazily(() => lookupOf(record, sent(), request.isNewStamp))
  const identity = lazily(() => `${request.url} ${stampOf(sent())?.write ?? JSON.stringify(call.fingerprint())}`)
  const hasIdentical = () =>
    unresolved.has(identity()) || [...inFlight].some((other) => other !== identity && other() === identity())
  inFlight.add(identity)
  try {
    const earlier = record.isOnce && (await searchBefore(lookup(), call))
    const ended = earlier || (await (isSearched ? sendUntilKnown(call, lookup, hasIdentical) : send(call)))
    // Added synchronously, before an identical write resumes its search.
    if ('reply' in ended) addBounded(ownRecordIds, (ended.reply.body as { data: Stored }).data.id, 10_000)
    else {
      const { error, sent } = ended
      const mayBeStored = error instanceof AmbiguousWriteError || (call.signal?.aborted && sent === 'maybe')
      if (mayBeStored) addBounded(unresolved, identity(), 1_000)
    }
    return ended
  } finally {
    inFlight.delete(identity)
  }
}

/** Searches for an upload that an earlier call has stored with the same id. */
async function searchBefore(lookup: Lookup, call: CallContext): Promise<Ended | undefined> {
  // That may have been a call of this client.
  const state = { ...call.state, ownRecordIds: new Set<string>() }
  const { record, candidates } = await query(lookup, { ...call, state }, -Infinity)
  if (record) {
    if (stampOf(record)?.key !== lookup.stamp?.key) throw idReused(record.id)
    return { reply: replyOf(record) }
  }
  if (candidates.length === 0) return undefined
  const { name, operation, fingerprint } = call
  const context = { ...name, surface: operation.surface, attempts: [] }
  throw ambiguousWriteError(context, { reason: 'by an earlier call with this id' }, fingerprint(), candidates)
}

async function sendUntilKnown(call: CallContext, lookup: () => Lookup, hasIdentical: () => boolean): Promise<Ended> {
  const { clock, retry } = call.settings
  let firstSentAt: number | undefined
  let earlier: readonly Attempt[] = []
  for (;;) {
    const ended = await send(call, earlier)
    if ('reply' in ended || !(ended.error instanceof AmbiguousWriteError)) return ended
    const { error } = ended
    // A search would fail at the same base URL.
    if (misconfigurationOf(error.attempts.at(-1)?.cause ?? '')) return ended
    earlier = error.attempts
    // Only the last attempt can have been stored: earlier ones never reached the service or were rate limited.
    const sentAt = clock.monotonic() - (error.attempts.at(-1)?.ms ?? 0)
    firstSentAt ??= sentAt
    if (retryAfterOf(error.cause) > retry.maxRetryAfterMs) return ended
    try {
      const record = await reconcile(error, call, lookup(), hasIdentical, sentAt, firstSentAt)
      if (record) return { reply: replyOf(record, error) }
    } catch (failure) {
      return { error: failure, sent: 'maybe' }
    }
    if (historyOf(earlier).attempts >= retry.attempts) return ended
  }
}

/**
 * Searches until the record is found or provably absent; otherwise throws `error`. Only the last search decides about
 * absence: what an earlier one does not find may not be listed yet. `hasIdentical`: true if another write of this client would
 * create an equal record. Instants are monotonic.
 */
async function reconcile(
  error: AmbiguousWriteError,
  call: CallContext,
  lookup: Lookup,
  hasIdentical: () => boolean,
  sentAt: number,
  firstSentAt: number,
): Promise<Stored | undefined> {
  const { emit, settings, signal, deadlineAt } = call
  const { clock, settleMs } = settings
  const { status, cause } = error.attempts.at(-1) ?? {}
  // After a complete 409, 500 or 503 the service is done; after anything else it may still be storing.
  const isAnswered = cause === undefined && (status === 409 || status === 500 || status === 503)
  const endedAt = clock.monotonic()
  const queryFrom = endedAt + waitFor(1, retryAfterOf(error.cause), settings.retry, clock.random())
  const settledAt = sentAt + call.timeoutMs + settleMs
  // The process may have stood still before it sent the request.
  let absentFrom = Math.max(isAnswered ? 0 : settledAt, endedAt + settleMs, queryFrom)
  try {
    for (let queryAt = queryFrom; queryAt < deadlineAt; queryAt = absentFrom) {
      const isLast = queryAt === absentFrom
      const waitMs = queryAt - clock.monotonic()
      if (waitMs > 0) {
        emit?.({ type: 'wait', ms: waitMs, because: 'reconciling' })
        await sleep(clock, waitMs, signal)
      }
      try {
        const { record, candidates, isEqual, complete } = await query(lookup, call, firstSentAt, isLast)
        // The record may belong to an identical write, until that one has its answer.
        if (record && !hasIdentical()) return record
        Object.assign(error, { candidates: record ? [record.id] : candidates })
        if (isLast && complete && error.candidates.length === 0 && status !== 409) return undefined
        if (isLast || isEqual) throw error
      } catch (failure) {
        signal?.throwIfAborted()
        if (isLast || !isTemporary(failure)) throw error
        const retryAfterMs = retryAfterOf(failure)
        if (retryAfterMs > settings.retry.maxRetryAfterMs) throw error
        // One query is left; it proves absence only once the service must be done.
        const retryFrom = clock.monotonic() + waitFor(1, retryAfterMs, settings.retry, clock.random())
        absentFrom = Math.max(absentFrom, settledAt, retryFrom)
      }
    }
    throw error
  } catch (failure) {
    if (signal?.aborted && failure === signal.reason) emit?.({ type: 'aborted', sent: 'maybe' })
    throw failure
  }
}

/** True if a failed query may succeed later. */
const isTemporary = (failure: unknown): boolean =>
  failure instanceof ConnectionError ||
  (failure instanceof ServiceError && ['unavailable', 'rate_limited', 'unexpected'].includes(failure.kind))

const retryAfterOf = (failure: unknown): number => (failure instanceof ServiceError && failure.retryAfterMs) || 0

interface QueryResult {
  record?: Stored | undefined
  /** Ids of records that may be this write, if it cannot be identified. */
  candidates: string[]
  /** True if several records match, which no later query can tell apart. */
  isEqual: boolean
  /** True if no other record of the write is listed. */
  complete: boolean
}

/** The last query, which proves absence, reads so many pages at most. */
const maxPages = 1_000

/** Queries the narrowed list, and the last time also the whole one: an index may lag, and a filter may compare otherwise. */
async function query(lookup: Lookup, call: CallContext, firstSentAt: number, isLast?: boolean): Promise<QueryResult> {
  const { settings, state, options, signal, deadlineAt, fingerprint } = call
  const { clock } = settings
  const queryOptions = (): CallOptions => ({
    ...options,
    signal,
    deadlineMs: Math.max(1, deadlineAt - clock.monotonic()),
    cache: 'no-store',
  })
  const { record, filters, ...write } = lookup
  const search = async (
    filters: TranscriptFilters,
    however: Omit<SearchOptions, 'clock'> = {},
  ): Promise<QueryResult> => {
    const searched: SearchedList = {
      page: (page) => record.list({ ...filters, page, limit: limits.pageSize.max }, queryOptions()).withResponse(),
      read: (id) => record.read(id, queryOptions()),
    }
    const { ownRecordIds } = state
    const lost = { ...write, fingerprint: fingerprint(), since: firstSentAt, ownRecordIds }
    const { found, complete } = await searchWrites(searched, [lost], { clock, ...however })
    return queryResultOf(found[0] as FoundWrite, write.stamp?.write !== undefined, complete)
  }
  if (Object.values(filters).some((filter) => filter !== undefined)) {
    const result = await search(filters, { isWhole: firstSentAt === -Infinity }).catch((failure: unknown) => {
      // The service may refuse filters in any way.
      if (concernsSearch(failure)) throw failure
      return undefined
    })
    if (result && (result.record || !isLast)) return result
  }
  return search({}, isLast ? { isThorough: true, maxPages, maxReads: 20 } : {})
}

/** A stamp identifies the record, whatever else is equal. */
function queryResultOf({ records, candidates }: FoundWrite, hasStamp: boolean, complete: boolean): QueryResult {
  const [record] = records
  const isCertain = records.length === 1 && (hasStamp || candidates.length === 0)
  return {
    record: isCertain ? record : undefined,
    candidates: isCertain ? [] : [...records, ...candidates].map(({ id }) => id),
    isEqual: records.length > 1,
    complete,
  }
}

/** Builds the 201 that the write would have had. `lost`: the error of its lost answer. */
function replyOf(record: Stored, lost?: AmbiguousWriteError): Reply {
  const body = { data: record, processing_time_ms: 0 }
  const text = JSON.stringify(body)
  const headers: [string, string][] = [['content-type', 'application/json']]
  const response = { status: 201, statusText: 'Created', headers, body: null }
  return { body, text, response, requestId: lost?.requestId, attempts: lost?.attempts ?? [] }
}

/** The record that a call writes: how to recognize it, and where to find it. `sent` is the body as JSON holds it. */
export interface WrittenRecord<Sent> {
  /** Its fields that identify it. */
  fingerprint(sent: Sent): Fingerprint
  /** An earlier one with the same stamp is searched for before it is sent. */
  isOnce?: boolean
  /** The other fields that were sent. Without it, the fingerprint is all. */
  content?(sent: Sent): Content
  /** The filters that it passes. */
  filters?(sent: Sent): TranscriptFilters
  /** List a page of the records among which it is. */
  list(query: TranscriptFilters & PageQuery, options: CallOptions): ResponsePromise<PageBody<object>>
  /** Read a record. */
  read(id: string, options: CallOptions): Promise<object>
}

interface Lookup extends Pick<WriteQuery, 'stamp' | 'isOwnStamp' | 'matchContent'> {
  record: Pick<WrittenRecord<never>, 'list' | 'read'>
  /** The filters that the record must pass. */
  filters: TranscriptFilters
}

function lookupOf<Sent extends object>(record: WrittenRecord<Sent>, sent: Sent, isOwnStamp: boolean): Lookup {
  const content = record.content?.(sent)
  return {
    record,
    filters: record.filters?.(sent) ?? {},
    stamp: stampOf(sent),
    isOwnStamp,
    matchContent: content && ((stored) => contentMatch(stored, content)),
  }
}

/** Stamps uploads, and searches for a write that lost its answer before it is sent again. */
export interface Reconciliation {
  /** Add a stamp to an upload. @internal */
  withStamp: typeof withStamp
  /** Add the stamp of an id to an upload. @internal */
  stampOnce: typeof stampOnce
  /** Send a write until its outcome is known. @internal */
  writeOnce: typeof writeOnce
}

/** Stamps uploads, and searches for a write that lost its answer before it is sent again. */
export const reconciliation: Reconciliation = { withStamp, stampOnce, writeOnce }

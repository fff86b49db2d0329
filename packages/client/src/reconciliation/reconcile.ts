import { sleep } from '../clock.js'
import { AmbiguousWriteError, ConnectionError, ServiceError } from '../errors/index.js'
import { tellerOf } from '../events.js'
import { type BuiltRequest, type CallContext, type Reply, send } from '../http/index.js'
import { lazily } from '../lazily.js'
import type { Stored, Wanted } from './match.js'
import { type FoundWrite, type SearchedList, searchWrites } from './search.js'

/** How long after its attempt a write may still be stored, in milliseconds, beyond the attempt's own time-out. */
export const settleMs = 5_000

/** How a method's writes are searched for. */
export interface Lookup extends Pick<Wanted, 'stamp' | 'matchContent'> {
  /** The list that holds the record of a write; `limit` gives what holds for each request to it. */
  list(limit: () => Limit): SearchedList
}

/** What holds for a query, over the call's own options. */
export interface Limit {
  signal: AbortSignal | undefined
  deadlineMs: number
}

/** Forgets the earliest many at a time: to find the first of a set takes as long as there are gaps before it. */
function remember(latest: Set<string>, id: string, count: number): void {
  latest.add(id)
  if (latest.size > 2 * count) for (const each of latest) if (latest.size > count) latest.delete(each)
}

/**
 * Sends a write. Where its outcome is unknown and a lookup is given, searches its record: found, it is the answer;
 * provably absent, the write is sent again; else the error says that it may be stored. Never two records, and never a
 * lost one without an error.
 */
export async function writeOnce(
  request: BuiltRequest,
  call: CallContext,
  lookup: (() => Lookup) | undefined,
): Promise<Reply> {
  const { inFlight, unresolved, ownRecordIds } = call.state
  const identity = lazily(() => `${request.url} ${lookup?.().stamp?.write ?? JSON.stringify(call.fingerprint())}`)
  const hasIdentical = () =>
    unresolved.has(identity()) || [...inFlight].some((other) => other !== identity && other() === identity())
  inFlight.add(identity)
  try {
    const reply = await sendUntilKnown(request, call, lookup, hasIdentical)
    // At once, before an identical write can query.
    remember(ownRecordIds, (reply.body as { data: Stored }).data.id, 10_000)
    return reply
  } catch (error) {
    const mayBeStored = error instanceof AmbiguousWriteError || (call.signal?.aborted && call.sent === 'maybe')
    if (mayBeStored) remember(unresolved, identity(), 1_000)
    throw error
  } finally {
    inFlight.delete(identity)
  }
}

async function sendUntilKnown(
  request: BuiltRequest,
  call: CallContext,
  lookup: (() => Lookup) | undefined,
  hasIdentical: () => boolean,
): Promise<Reply> {
  const { clock, retry } = call.settings
  let firstSentAt: number | undefined
  for (let sends = 1; ; sends++) {
    let error: AmbiguousWriteError
    try {
      return await send(request, call)
    } catch (failure) {
      if (!lookup || !(failure instanceof AmbiguousWriteError)) throw failure
      error = failure
    }
    const { ms = 0 } = error.attempts.at(-1) ?? {}
    // The attempts before it never reached the service, or were refused by rate.
    const sentAt = clock.now() - ms
    firstSentAt ??= sentAt
    const found = await reconcile(error, call, lookup(), { firstSentAt, sentAt, hasIdentical })
    if (found) return replyOf(found, error)
    if (sends >= retry.attempts || waitOf(error.cause) > retry.maxRetryAfterMs) throw error
  }
}

/** When a write was sent, first and last, and whether nothing tells it apart from another write of this client. */
interface Unknown {
  firstSentAt: number
  sentAt: number
  hasIdentical: () => boolean
}

/** Searches for a write until it is found or provably absent; throws where neither can be known. */
async function reconcile(
  error: AmbiguousWriteError,
  call: CallContext,
  lookup: Lookup,
  { firstSentAt, sentAt, hasIdentical }: Unknown,
): Promise<Stored | undefined> {
  const { settings, signal, deadlineAt } = call
  const { clock } = settings
  const report = tellerOf(settings.listeners, error.operation, error)
  const { status, cause } = error.attempts.at(-1) ?? {}
  // A complete 500 or 503 has done what it would do; after anything else the service may still be at it.
  const answered = cause === undefined && (status === 500 || status === 503)
  // A write that is not found is sent again, and not before the service asked for it.
  const askedMs = waitOf(error.cause)
  const askedFrom = askedMs > settings.retry.maxRetryAfterMs ? 0 : clock.now() + askedMs
  const lateFrom = sentAt + call.timeoutMs + settleMs
  let absentFrom = Math.max(answered ? clock.now() + settleMs : lateFrom, askedFrom)
  try {
    for (let queryAt = clock.now(); queryAt < deadlineAt; queryAt = absentFrom) {
      const isLast = queryAt === absentFrom
      const waitMs = queryAt - clock.now()
      if (waitMs > 0) {
        report?.({ type: 'wait', ms: waitMs, because: 'in_doubt' })
        await sleep(clock, waitMs, signal)
      }
      try {
        const found = await query(lookup, call, firstSentAt, error)
        // It may be the record of an identical write, which is known once that has its answer.
        if (found && !hasIdentical()) return found
        if (isLast && found) throw Object.assign(error, { candidates: [found.id] })
        if (isLast) return undefined
      } catch (failure) {
        signal?.throwIfAborted()
        if (failure instanceof AmbiguousWriteError) throw failure
        if (isLast || !isTemporary(failure)) throw error
        // Only one query is left, which is no proof before the service must have finished.
        absentFrom = Math.max(absentFrom, lateFrom)
        // The rate limit would refuse the next query, too.
        const closedMs = waitOf(failure) - (absentFrom - clock.now())
        if (closedMs > settings.retry.maxRetryAfterMs) throw error
      }
    }
    throw error
  } catch (failure) {
    if (signal?.aborted) report?.({ type: 'aborted', sent: 'maybe' })
    throw failure
  }
}

/** Whether a query that failed may be answered later; a key that may not read never is. */
const isTemporary = (failure: unknown): boolean =>
  failure instanceof ConnectionError ||
  (failure instanceof ServiceError && ['unavailable', 'rate_limited', 'unexpected'].includes(failure.kind))

/** The `Retry-After` of an answer, in milliseconds. */
const waitOf = (failure: unknown): number => (failure instanceof ServiceError && failure.retryAfterMs) || 0

/**
 * Asks once for the record of a write. Throws the error, with its candidates, where several records may be it, or one that
 * does not show enough, or where the list leaves open whether there is another.
 */
async function query(
  lookup: Lookup,
  { settings, state, signal, deadlineAt, fingerprint }: CallContext,
  firstSentAt: number,
  error: AmbiguousWriteError,
): Promise<Stored | undefined> {
  const now = () => settings.clock.now()
  const list = lookup.list(() => ({ signal, deadlineMs: Math.max(1, deadlineAt - now()) }))
  const { stamp, matchContent } = lookup
  const write = {
    fingerprint: fingerprint(),
    stamp,
    matchContent,
    since: firstSentAt,
    ownRecordIds: state.ownRecordIds,
  }
  const { found, complete } = await searchWrites(list, [write], { now })
  const { records, candidates } = found[0] as FoundWrite
  if (records.length > 1 || candidates.length > 0)
    throw Object.assign(error, { candidates: [...records, ...candidates].map(({ id }) => id) })
  if (records.length === 0 && !complete) throw error
  return records[0]
}

/** The answer that the write would have had, from the record that was found. */
function replyOf(record: Stored, { attempts, requestId }: AmbiguousWriteError): Reply {
  const body = { data: record, processing_time_ms: 0 }
  const text = JSON.stringify(body)
  const headers: [string, string][] = [['content-type', 'application/json']]
  const response = { status: 201, statusText: 'Created', headers, body: null }
  return { body, text, response, requestId, attempts: [...attempts] }
}

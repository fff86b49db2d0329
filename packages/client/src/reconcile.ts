import type { Draft } from './attempt.js'
import { sleep } from './clock.js'
import { converse, type Manner, type Reply } from './conversation.js'
import { type Rows, wholeSecond } from './edge-pages.js'
import { AmbiguousWriteError, ServiceError } from './errors.js'
import { tellerOf } from './events.js'
import { lazily } from './lazily.js'
import { matchOf, type Stored, type Wanted } from './match.js'

/** How long after its attempt a write may still be stored, in milliseconds, beyond the attempt's own time-out. */
export const settleMs = 5_000
/** Records that are read singly when the list does not show what tells them apart. */
const singleReads = 20

/** What a verb gives for its writes to be looked for. */
export interface Lookup {
  /** Rows among which the write must be if it was stored since an instant of our own clock. */
  rows(limit: Limit, since: number): Promise<Rows>
  /** One record whole. */
  read(id: string, limit: Limit): Promise<Stored>
  /** Whether a record that fits also says what was written; undefined where it does not show that. */
  alike?(record: Stored): boolean | undefined
  /** The stamp that the write carried. */
  stamp?: string | undefined
}

/** What holds for a look, over the call's own options. */
export interface Limit {
  signal: AbortSignal | undefined
  deadlineMs: number
  now: () => number
}

/**
 * Sends a write, and where its fate is unknown looks for it: found, it is the answer; provably absent, it is sent again;
 * else the error says that it may be stored. Never two records, and never a lost one without an error.
 */
export async function writeOnce(draft: Draft, manner: Manner, lookup: () => Lookup): Promise<Reply> {
  const { claimed, twins } = manner.settings
  const known = lazily(() => `${draft.url} ${lookup().stamp ?? JSON.stringify(manner.fingerprint())}`)
  const isTwin = (other: string | (() => string)) =>
    other !== known && (typeof other === 'string' ? other : other()) === known()
  twins.add(known)
  try {
    const reply = await sentOnce(draft, manner, lookup, () => [...twins].some(isTwin))
    // At once, before a twin of this write can look.
    claimed.add((reply.body as { data: Stored }).data.id)
    return reply
  } catch (error) {
    // One that stays in doubt, or was aborted, may have left a record, which no twin may take for its own.
    if (error instanceof AmbiguousWriteError || manner.signal?.aborted) twins.add(known())
    throw error
  } finally {
    twins.delete(known)
  }
}

async function sentOnce(draft: Draft, manner: Manner, lookup: () => Lookup, hasTwin: () => boolean): Promise<Reply> {
  const { clock, retry } = manner.settings
  let firstSentAt: number | undefined
  for (let sends = 1; ; sends++) {
    let error: AmbiguousWriteError
    try {
      return await converse(draft, manner)
    } catch (failure) {
      if (!(failure instanceof AmbiguousWriteError)) throw failure
      error = failure
    }
    const { ms = 0 } = error.attempts.at(-1) ?? {}
    // The attempts before it in the same conversation never reached the service, or were refused by rate.
    const sentAt = clock.now() - ms
    firstSentAt ??= sentAt
    const found = await settle(error, manner, lookup(), { firstSentAt, sentAt, hasTwin })
    if (found) return replyOf(found, error)
    if (sends >= retry.attempts || retryAfterOf(error) > retry.maxRetryAfterMs) throw error
  }
}

/** When a write was sent, first and last, and whether another one is under way that nothing tells apart from it. */
interface Doubt {
  firstSentAt: number
  sentAt: number
  hasTwin: () => boolean
}

/** Looks for a write until it is found or provably absent; throws where neither can be told. */
async function settle(
  error: AmbiguousWriteError,
  manner: Manner,
  lookup: Lookup,
  doubt: Doubt,
): Promise<Stored | undefined> {
  const { settings, signal, deadlineAt } = manner
  const { clock } = settings
  const tell = tellerOf(settings.listeners, error.operation, error)
  const { status, cause } = error.attempts.at(-1) ?? {}
  // A complete 500 or 503 has done what it would do; after anything else the service may still be at it.
  const answered = cause === undefined && (status === 500 || status === 503)
  // What is not found will be sent again, and not before the service asked for it.
  const askedMs = retryAfterOf(error)
  const askedFrom = askedMs > settings.retry.maxRetryAfterMs ? 0 : clock.now() + askedMs
  const absentFrom = Math.max(answered ? clock.now() + settleMs : doubt.sentAt + manner.timeoutMs + settleMs, askedFrom)
  try {
    for (const lookAt of [clock.now(), absentFrom]) {
      const waitMs = lookAt - clock.now()
      if (lookAt >= deadlineAt) throw error
      if (waitMs > 0) {
        tell?.({ type: 'wait', ms: waitMs, because: 'in_doubt' })
        await sleep(clock, waitMs, signal)
      }
      const found = await look(lookup, manner, doubt.firstSentAt, error)
      if (!found) continue
      // It may be the twin's, which is known when that has had its answer.
      if (!doubt.hasTwin()) return found
      if (lookAt === absentFrom) throw unsettled(error, [found.id])
    }
  } catch (failure) {
    if (signal?.aborted) tell?.({ type: 'aborted', sent: 'maybe' })
    throw failure
  }
  return undefined
}

/** The `Retry-After` of the answer behind an error, in milliseconds. */
const retryAfterOf = ({ cause }: AmbiguousWriteError): number =>
  (cause instanceof ServiceError && cause.retryAfterMs) || 0

/**
 * One look for the record of a write. More than one that may be it, one that fits and says something else, or no right to
 * look, leaves it unsettled.
 */
async function look(
  lookup: Lookup,
  { settings, signal, deadlineAt, fingerprint }: Manner,
  firstSentAt: number,
  error: AmbiguousWriteError,
): Promise<Stored | undefined> {
  const now = () => settings.clock.now()
  const limit = () => ({ signal, deadlineMs: Math.max(1, deadlineAt - now()), now })
  const found: Stored[] = []
  const others: Stored[] = []
  const doubtful: string[] = []
  try {
    const { rows, skewMs, complete } = await lookup.rows(limit(), firstSentAt)
    const notBefore = skewMs === undefined ? undefined : wholeSecond(firstSentAt + skewMs)
    const wanted: Wanted = { fingerprint: fingerprint(), stamp: lookup.stamp, notBefore, claimed: settings.claimed }
    const likely = rows.filter((row) => matchOf(row, wanted) !== 'no')
    for (const [i, row] of likely.entries()) {
      const asked = lookup.stamp === undefined ? lookup.alike : undefined
      const enough = i >= singleReads || (matchOf(row, wanted) === 'yes' && !asked)
      const record = enough ? row : await lookup.read(row.id, limit())
      const match = matchOf(record, wanted)
      if (match === 'yes') (asked?.(record) === false ? others : found).push(record)
      else if (match === 'not shown') doubtful.push(record.id)
    }
    // The service may have changed what was written: where nothing else is found, it may be this one.
    if (found.length === 0) doubtful.push(...others.map(({ id }) => id))
    if (found.length === 0 && !complete) throw error
  } catch {
    signal?.throwIfAborted()
    throw error
  }
  if (found.length > 1 || doubtful.length > 0) throw unsettled(error, [...found.map(({ id }) => id), ...doubtful])
  return found[0]
}

function unsettled(error: AmbiguousWriteError, candidates: string[]): AmbiguousWriteError {
  const { operation, surface = 'workspace', method = '', url = '', attempts, requestId, cause, fingerprint } = error
  return new AmbiguousWriteError(
    error.message,
    { operation, surface, method, url, attempts: [...attempts], requestId, cause },
    fingerprint,
    candidates,
  )
}

/** The answer that the write would have had, from the record that was found. */
function replyOf(record: Stored, { attempts, requestId }: AmbiguousWriteError): Reply {
  const body = { data: record, processing_time_ms: 0 }
  const text = JSON.stringify(body)
  const response = new Response(text, { status: 201, headers: { 'content-type': 'application/json' } })
  return { body, text, response, requestId, attempts: [...attempts] }
}

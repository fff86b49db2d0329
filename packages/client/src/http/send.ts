import { type Clock, dateAfter, sleep } from '../clock.js'
import { allowManyListeners } from '../environment.js'
import {
  type Attempt,
  ambiguousWriteError,
  connectionError,
  type ErrorContext,
  type Fingerprint,
  maskKey,
  rateLimitedError,
  serviceError,
  timedOut,
  tokenNote,
} from '../errors/index.js'
import type { emitterOf, RequestName } from '../events.js'
import { headersAfterHook, notify } from '../hooks.js'
import { parseBody } from '../json.js'
import type { Operation, Surface } from '../operation.js'
import type { CallOptions, Settings } from '../options.js'
import type { RateLimiters, Release, Reset } from '../rate-limit/index.js'
import {
  type AttemptResult,
  type Decision,
  decide,
  historyOf,
  isEpoch,
  parseHttpDate,
  parseRetryAfter,
  spreadOver,
} from '../retry/index.js'
import { headerOf, requestIdOf, type TransportResponse } from '../transport.js'
import { attempt, type Exchange, isSuccess } from './attempt.js'
import type { BuiltRequest } from './request.js'
import { type Authorized, authorize } from './request.js'

/** The expected success, and the attempts before it. */
export interface Reply {
  body: unknown
  text: string
  response: TransportResponse
  attempts: readonly Attempt[]
  /** Set if the response was built from a record that reconciliation found. */
  requestId?: string | undefined
}

export interface CallContext {
  operation: Operation
  request: BuiltRequest
  name: RequestName
  /** Emits the events of the call; undefined without listeners. */
  emit: ReturnType<typeof emitterOf>
  settings: Settings
  state: ClientState
  /** The caller's own options, which queries of reconciliation keep. */
  options: CallOptions | undefined
  timeoutMs: number
  deadlineAt: number
  signal: AbortSignal | undefined
  fingerprint: () => Fingerprint
}

/** How a call ended. `sent`: `maybe` once the service can have acted on it. */
export type Ended = { reply: Reply } | { error: unknown; sent: 'no' | 'maybe' }

export interface ClientState {
  /** Undefined in a client without rate limiting. */
  rateLimiters: RateLimiters | undefined
  /** Surfaces whose key was warned about. */
  warned: Set<Surface>
  /** Identities of the writes in flight: stamp or fingerprint. */
  inFlight: Set<() => string>
  /** Identities of writes whose outcome stayed unknown: the latest 1 000 or more. */
  unresolved: Set<string>
  /** Ids of records that this client's writes created: the latest 10 000 or more. */
  ownRecordIds: Set<string>
}

export const newState = (rateLimiters: RateLimiters | undefined): ClientState => ({
  rateLimiters,
  warned: new Set(),
  inFlight: new Set(),
  unresolved: new Set(),
  ownRecordIds: new Set(),
})

/**
 * Sends a request, and retries it until the expected success comes or `decide` gives up. `earlier`: the attempts of this
 * call that left its outcome unknown.
 */
export async function send(call: CallContext, earlier: readonly Attempt[] = []): Promise<Ended> {
  const { emit, signal } = call
  if (signal) allowManyListeners(signal)
  let next: NextAttempt = { attempts: earlier, notBefore: -Infinity }
  for (;;) {
    const step = await sendOnce(call, next, earlier.length > 0)
    if ('notBefore' in step) {
      next = step
      continue
    }
    if ('error' in step && signal?.aborted && step.error === signal.reason) emit?.({ type: 'aborted', sent: step.sent })
    return step
  }
}

/** The attempts until now, and the wait before the next one: by a timer, or by the rate limiter after a 429. */
interface NextAttempt {
  attempts: readonly Attempt[]
  notBefore: number
  wait?: { ms: number; because: 'rate_limited' | 'back_off' } | undefined
}

/** Makes one attempt. Gives the end of the call, or the next attempt. `mayBeStored`: by an earlier attempt. */
async function sendOnce(call: CallContext, next: NextAttempt, mayBeStored: boolean): Promise<Ended | NextAttempt> {
  const { operation, request, settings, signal } = call
  const { attempts } = next
  const prepared = await prepare(call, next).catch(failed)
  if ('error' in prepared) return { ...prepared, sent: sentIn(attempts) }
  const { headers, timeoutMs, release } = prepared
  const exchange = await attempt(request, settings, {
    headers,
    timeoutMs,
    signal,
    call: { operation: operation.id, template: operation.path, attempt: attempts.length + 1 },
  }).catch(failed)
  if ('error' in exchange) {
    release?.()
    return { ...exchange, sent: 'maybe' }
  }
  const { step, reset } = conclude(call, attempts, exchange, prepared, mayBeStored)
  release?.(reset)
  return step
}

const failed = (error: unknown) => ({ error })

const sentIn = (attempts: readonly Attempt[]) => (attempts.every(({ sent }) => sent === 'no') ? 'no' : 'maybe')

const contextOf = (
  { request: { isStamped }, name, operation: { surface } }: CallContext,
  attempts: readonly Attempt[],
  response?: TransportResponse,
  key?: string,
): ErrorContext => ({
  ...name,
  surface,
  attempts,
  isStamped,
  requestId: response && maskKey(requestIdOf(response), key),
  headers: response?.headers,
})

interface Prepared extends Authorized {
  timeoutMs: number
  /** Frees the place of the call in its rate limiter. */
  release?: Release | undefined
}

/** Waits, adds the key, and calls the hook. Throws the error of a call that is not sent. */
async function prepare(call: CallContext, { attempts, notBefore, wait }: NextAttempt): Promise<Prepared> {
  const { name, emit, settings, signal, deadlineAt } = call
  const { clock } = settings
  const attempt = attempts.length + 1
  if (wait) {
    emit?.({ type: 'wait', ...wait })
    await sleep(clock, wait.ms, signal)
  }
  signal?.throwIfAborted()
  const admitted = await admittedWithKey(call, notBefore)
  if ('closedForMs' in admitted) throw rateLimitedError(contextOf(call, attempts), waitOf(admitted.closedForMs, clock))
  try {
    warnOfToken(call, admitted.key)
    const headers = await headersAfterHook(settings, { ...name, attempt }, admitted.headers, call)
    const timeoutMs = Math.min(call.timeoutMs, deadlineAt - clock.monotonic())
    if (timeoutMs <= 0)
      throw connectionError(contextOf(call, attempts), { ...deadlinePassed, ms: settings.deadlineMs }).error
    emit?.({ type: 'request', attempt })
    signal?.throwIfAborted()
    return { ...admitted, headers, timeoutMs }
  } catch (error) {
    admitted.release?.()
    throw error
  }
}

/**
 * The key of an attempt, once the rate limiter of this key admits it. The key is read before the wait, and again after
 * it: a key function may give another one by then, which has its own rate limiter.
 */
async function admittedWithKey(
  call: CallContext,
  notBefore: number,
): Promise<Omit<Prepared, 'timeoutMs'> | { closedForMs: number }> {
  const { operation, emit, settings, state, deadlineAt, signal } = call
  const { clock, retry } = settings
  const { rateLimiters } = state
  let authorized = await authorize(operation, settings, call)
  while (rateLimiters && operation.key !== 'none') {
    const { key } = authorized
    const onWait = (ms: number) => emit?.({ type: 'wait', ms, because: 'rate_limited' })
    const limits = { clock, deadlineAt, notBefore, longestMs: retry.maxRetryAfterMs, signal, onWait }
    const admitted = await rateLimiters.acquire(operation.surface, key, limits)
    if ('closedForMs' in admitted) return admitted
    const { release, hasWaited } = admitted
    if (!hasWaited) return { ...authorized, release }
    authorized = await authorize(operation, settings, call)
    if (authorized.key === key) return { ...authorized, release }
    release()
  }
  return authorized
}

/** The step after an exchange; `reset` is the one to report to the rate limiter. */
function conclude(
  call: CallContext,
  earlier: readonly Attempt[],
  { made, answer, failure }: Exchange,
  { key, release }: Prepared,
  mayBeStored: boolean,
): { step: Ended | NextAttempt; reset?: Reset | undefined } {
  const { operation, name, emit, settings, deadlineAt } = call
  const { clock, retry, hooks } = settings
  const attempts = [...earlier, made]
  const { status, cause, ms } = made
  const { response, text = '', tooLarge } = answer ?? {}
  const context = () => contextOf(call, attempts, response, key)
  const attempt = attempts.length
  if (response) emit?.({ type: 'response', attempt, status: response.status, ms, requestId: context().requestId })
  else emit?.({ type: 'failure', attempt, cause: cause as string, ms, sent: sentIn([made]) })
  const hookContext = { ...name, attempt }
  if (response && hooks.onResponse)
    notify(hooks.onResponse, {
      ...hookContext,
      status: response.status,
      headers: new Headers([...response.headers]),
      ms,
    })
  const body = response && parseBody(text)
  const reply = response && { body, text, response, attempts }
  if (reply && isSuccess(response) && !tooLarge && operation.isSuccessBody(body)) return { step: { reply } }

  const isRefusal = reply && response.status >= 400
  const now = clock.monotonic()
  const result = response ? resultOf(response, operation, clock.now()) : { failure: failure?.failure ?? 'lost' }
  if (isRefusal && isEpoch(headerOf(response, 'retry-after'))) emit?.({ type: 'warning', message: epochWarning })
  const random = clock.random()
  const decision = decide(operation.retryClass, result, historyOf(attempts), retry, random)
  const isLimited = result.status === 429
  const reset = isLimited ? resetOf(result, decision, now, random) : undefined
  if (decision.next === 'retry' && now + decision.waitMs < deadlineAt) {
    const { waitMs } = decision
    notify(hooks.onRetry, { ...hookContext, waitMs, status, cause })
    // After a 429 the rate limiter makes this call wait, like all others.
    const wait = { ms: waitMs, because: isLimited ? 'rate_limited' : 'back_off' } as const
    return { step: { attempts, notBefore: now + waitMs, wait: release && isLimited ? undefined : wait }, reset }
  }
  if (isRefusal && operation.returnsErrors) return { step: { reply }, reset }
  const { retryAfterMs } = result
  const wait = retryAfterMs === undefined ? undefined : waitOf(retryAfterMs, clock)
  const explained = failure
    ? connectionError(context(), failure)
    : serviceError(context(), answer.response.status, body, wait, key, tooLarge)
  // A conflict may be with the record of the earlier attempt.
  const isUnknown = decision.next === 'reconcile' || (mayBeStored && status === 409)
  const error = isUnknown ? ambiguousWriteError(context(), explained, call.fingerprint()) : explained.error
  return { step: { error, sent: sentIn(attempts) }, reset }
}

/** Warns once of a key that most endpoints do not support. */
function warnOfToken({ operation: { surface }, state: { warned }, emit }: CallContext, key: string | undefined) {
  if (!emit || !key?.startsWith('ey') || warned.has(surface)) return
  warned.add(surface)
  emit({ type: 'warning', message: tokenNote })
}

const epochWarning = 'Retry-After is not in seconds, and is ignored'

const deadlinePassed = { failure: 'timeout', phase: 'connecting', code: timedOut } as const

/** An unexpected 2xx of a write counts as a lost response, because the write may be stored. */
function resultOf(response: TransportResponse, operation: Operation, now: number): AttemptResult {
  const stores = operation.retryClass === 'write' || operation.retryClass === 'legacy'
  if (isSuccess(response) && stores) return { failure: 'lost' }
  const serverNow = parseHttpDate(headerOf(response, 'date') ?? '', now) ?? now
  return { status: response.status, retryAfterMs: parseRetryAfter(headerOf(response, 'retry-after'), serverNow) }
}

/**
 * When the window of a 429 ends, and when calls are admitted again; undefined if neither is known. The growing back-off of
 * one call does not hold back the others.
 */
function resetOf({ retryAfterMs }: AttemptResult, decision: Decision, now: number, random: number): Reset | undefined {
  if (retryAfterMs !== undefined)
    return { resetAt: now + retryAfterMs, opensAt: now + spreadOver(retryAfterMs, random) }
  return decision.next === 'retry' ? { resetAt: now + decision.waitMs, opensAt: now + decision.waitMs } : undefined
}

const waitOf = (retryAfterMs: number, clock: Required<Clock>) => ({
  retryAfterMs,
  retryAt: dateAfter(clock, retryAfterMs),
})

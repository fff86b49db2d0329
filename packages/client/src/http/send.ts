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
import { emitterOf, shownUrl } from '../events.js'
import { headersAfterHook, notify } from '../hooks.js'
import { parseBody } from '../json.js'
import type { Operation, Surface } from '../operation.js'
import type { CallOptions, Settings } from '../options.js'
import type { RateLimiters, rateLimiting } from '../rate-limit/index.js'
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
  attempts: Attempt[]
  /** Set if the response was built from a record that reconciliation found. */
  requestId?: string | undefined
}

export interface CallContext {
  operation: Operation
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
  rateLimiting: typeof rateLimiting | undefined
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

export const newState = (limiting: typeof rateLimiting | undefined): ClientState => ({
  rateLimiting: limiting,
  rateLimiters: limiting?.newRateLimiters(),
  warned: new Set(),
  inFlight: new Set(),
  unresolved: new Set(),
  ownRecordIds: new Set(),
})

/**
 * Sends a request, and retries it until the expected success comes or `decide` gives up: wait for the rate limiter, add
 * the key, make one attempt, then return, or wait and try again. `earlier`: the attempts of this call that left its outcome
 * unknown.
 */
export async function send(request: BuiltRequest, call: CallContext, earlier: readonly Attempt[] = []): Promise<Ended> {
  // One function: each step of the loop may end the call or begin the next attempt.
  const { operation, settings, signal, deadlineAt } = call
  const { clock, retry, hooks } = settings
  const emit = emitterOf(settings.listeners, operation.id, request)
  const attempts = [...earlier]
  let sent: 'no' | 'maybe' = earlier.length > 0 ? 'maybe' : 'no'
  let notBefore = -Infinity
  let release: Release | undefined
  let key: string | undefined
  const contextOf = (response?: TransportResponse): ErrorContext => ({
    operation: operation.id,
    surface: operation.surface,
    method: request.method,
    url: shownUrl(request.url),
    attempts,
    isStamped: request.isStamped,
    requestId: response && maskKey(requestIdOf(response), key),
    headers: response?.headers,
  })
  if (signal) allowManyListeners(signal)
  try {
    for (;;) {
      const number = attempts.length + 1
      signal?.throwIfAborted()
      const admitted = await admittedWithKey(call, notBefore, emit)
      if ('closedForMs' in admitted) throw rateLimitedError(contextOf(), admitted.closedForMs, clock)
      release = admitted.release
      key = admitted.key
      warnOfToken(call, key, emit)
      const { method, url } = request
      const hookContext = { operation: operation.id, method, url, attempt: number }
      const headers = await headersAfterHook(settings, hookContext, admitted.headers, call)
      const timeoutMs = Math.min(call.timeoutMs, deadlineAt - clock.monotonic())
      if (timeoutMs <= 0) throw connectionError(contextOf(), { ...deadlinePassed, ms: settings.deadlineMs }).error

      emit?.({ type: 'request', attempt: number })
      signal?.throwIfAborted()
      const sentBefore = sent
      sent = 'maybe'
      const exchange = await attempt(request, settings, {
        headers,
        timeoutMs,
        signal,
        call: { operation: operation.id, template: operation.path, attempt: number },
      })
      const made = attemptOf(exchange)
      if (made.sent === 'no') sent = sentBefore
      attempts.push(made)
      emit?.({ attempt: number, ...eventOf(exchange, made, key) })
      const isAnswered = 'response' in exchange
      if (isAnswered && hooks.onResponse) {
        const { status, headers } = exchange.response
        notify(hooks.onResponse, { ...hookContext, status, headers: new Headers([...headers]), ms: made.ms })
      }
      const body = isAnswered ? parseBody(exchange.text) : undefined
      const reply = isAnswered && { body, text: exchange.text, response: exchange.response, attempts }
      if (reply && isSuccess(reply.response) && !exchange.tooLarge && operation.isSuccessBody(body)) return { reply }

      const now = clock.monotonic()
      const result = resultOf(exchange, operation, clock.now())
      if (reply && reply.response.status >= 400 && isEpoch(headerOf(reply.response, 'retry-after')))
        emit?.({ type: 'warning', message: epochWarning })
      const random = clock.random()
      const decision = decide(operation.retryClass, result, historyOf(attempts), retry, random)
      const refusal = result.status === 429 ? result : undefined
      const isLimited = release && refusal
      release?.(refusal && resetOf(refusal, decision, now, random))
      release = undefined
      if (decision.next !== 'retry' || now + decision.waitMs >= deadlineAt) {
        if (reply && operation.returnsErrors && reply.response.status >= 400) return { reply }
        const context = contextOf(isAnswered ? exchange.response : undefined)
        const explained = isAnswered
          ? serviceError(
              context,
              exchange.response.status,
              body,
              retryAt(result.retryAfterMs, clock),
              key,
              exchange.tooLarge,
            )
          : connectionError(context, exchange)
        // A conflict may be with the record of the earlier attempt.
        const isUnknown = decision.next === 'reconcile' || (earlier.length > 0 && made.status === 409)
        throw isUnknown ? ambiguousWriteError(context, explained, call.fingerprint()) : explained.error
      }
      notify(hooks.onRetry, { ...hookContext, waitMs: decision.waitMs, status: made.status, cause: made.cause })
      // After a 429 the rate limiter makes this call wait, like all others.
      notBefore = now + decision.waitMs
      if (isLimited) continue
      emit?.({ type: 'wait', ms: decision.waitMs, because: refusal ? 'rate_limited' : 'back_off' })
      await sleep(clock, decision.waitMs, signal)
    }
  } catch (error) {
    if (signal?.aborted && error === signal.reason) emit?.({ type: 'aborted', sent })
    return { error, sent }
  } finally {
    release?.()
  }
}

type Emit = ReturnType<typeof emitterOf>

/** Frees the place of an admitted call in its rate limiter, once its answer is known. */
type Release = (refusal?: { resetAt: number; opensAt: number }) => void

type Admission = (Authorized & { release?: Release }) | { closedForMs: number }

/**
 * The key of an attempt, once the rate limiter of this key admits it. The key is read before the wait, and again after
 * it: a key function may give another one by then, which has its own rate limiter.
 */
async function admittedWithKey(call: CallContext, notBefore: number, emit: Emit): Promise<Admission> {
  const { operation, settings, state, deadlineAt, signal } = call
  const { clock, retry } = settings
  const { rateLimiting, rateLimiters } = state
  let authorized = await authorize(operation, settings, call)
  while (rateLimiting && rateLimiters && operation.key !== 'none') {
    const limiter = rateLimiting.limiterOf(rateLimiters, operation.surface, authorized.key)
    const onWait = (ms: number) => emit?.({ type: 'wait', ms, because: 'rate_limited' })
    const limits = { clock, deadlineAt, notBefore, longestMs: retry.maxRetryAfterMs, signal, onWait }
    const admitted = await rateLimiting.acquire(limiter, limits)
    if ('closedForMs' in admitted) return admitted
    const release: Release = (refusal) => rateLimiting.release(limiter, admitted.permit, refusal)
    if (!admitted.hasWaited) return { ...authorized, release }
    const { key } = authorized
    authorized = await authorize(operation, settings, call)
    if (authorized.key === key) return { ...authorized, release }
    release()
  }
  return authorized
}

/** Warns once of a key that most endpoints do not support. */
function warnOfToken({ operation: { surface }, state: { warned } }: CallContext, key: string | undefined, emit: Emit) {
  if (!emit || !key?.startsWith('ey') || warned.has(surface)) return
  warned.add(surface)
  emit({ type: 'warning', message: tokenNote })
}

const epochWarning = 'Retry-After is an instant, not seconds, and is ignored'

const deadlinePassed = { failure: 'timeout', phase: 'connecting', code: timedOut } as const

function attemptOf(exchange: Exchange): Attempt {
  if ('response' in exchange) return { status: exchange.response.status, ms: exchange.ms, sent: 'yes' }
  const { code, ms, phase, status } = exchange
  if (status !== undefined) return { status, cause: code, ms, sent: 'yes' }
  return { cause: code, ms, sent: phase === 'connecting' ? 'no' : 'maybe' }
}

function eventOf(exchange: Exchange, { ms, sent }: Attempt, key: string | undefined) {
  if (!('response' in exchange))
    return { type: 'failure', cause: exchange.code, ms, sent: sent === 'no' ? 'no' : 'maybe' } as const
  const requestId = maskKey(requestIdOf(exchange.response), key)
  return { type: 'response', status: exchange.response.status, ms, requestId } as const
}

/** An unexpected 2xx of a write counts as a lost response, because the write may be stored. */
function resultOf(exchange: Exchange, operation: Operation, now: number): AttemptResult {
  if (!('response' in exchange)) return { failure: exchange.failure }
  const { response } = exchange
  const stores = operation.retryClass === 'write' || operation.retryClass === 'legacy'
  if (isSuccess(response) && stores) return { failure: 'lost' }
  const serverNow = parseHttpDate(headerOf(response, 'date') ?? '', now) ?? now
  return { status: response.status, retryAfterMs: parseRetryAfter(headerOf(response, 'retry-after'), serverNow) }
}

/**
 * When the window of a 429 ends, and when calls are admitted again; undefined if neither is known. The growing back-off of
 * one call does not hold back the others.
 */
function resetOf(
  { retryAfterMs }: { retryAfterMs?: number | undefined },
  decision: Decision,
  now: number,
  random: number,
) {
  if (retryAfterMs !== undefined)
    return { resetAt: now + retryAfterMs, opensAt: now + spreadOver(retryAfterMs, random) }
  return decision.next === 'retry' ? { resetAt: now + decision.waitMs, opensAt: now + decision.waitMs } : undefined
}

const retryAt = (retryAfterMs: number | undefined, clock: Required<Clock>) =>
  retryAfterMs === undefined ? undefined : { retryAfterMs, retryAt: dateAfter(clock, retryAfterMs) }

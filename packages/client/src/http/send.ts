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
} from '../errors/index.js'
import { emitterOf, shownUrl } from '../events.js'
import { headersAfterHook, notify } from '../hooks.js'
import { parseBody } from '../json.js'
import type { Operation, Surface } from '../operation.js'
import type { CallOptions, Settings } from '../options.js'
import type { Permit, RateLimiter, rateLimiting } from '../rate-limit/index.js'
import {
  type Decision,
  decide,
  type History,
  type Outcome,
  parseHttpDate,
  parseRetryAfter,
  spreadOver,
} from '../retry/index.js'
import { headerOf, requestIdOf, type TransportResponse } from '../transport.js'
import { attempt, type Exchange, isSuccess } from './attempt.js'
import type { BuiltRequest } from './request.js'
import { authorize } from './request.js'

/** The expected success, and the attempts before it. */
export interface Reply {
  body: unknown
  text: string
  response: TransportResponse
  attempts: Attempt[]
  /** Set if the response was built from a record that reconciliation found. */
  requestId?: string | undefined
}

/** How the answer of a call is wanted; a caller can change it until the first request is sent. */
export interface Mode {
  /** The body is left to the caller. */
  isRaw: boolean
  isSent: boolean
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
  attempts: Attempt[]
  /** Counts of the attempts, for the retry policy. */
  history: History
  mode: Mode
  /** `maybe` once the service can have acted on the call. */
  sent: 'no' | 'maybe'
  /** True if the request is sent again after an unknown outcome. */
  isSentAgain: boolean
}

export interface ClientState {
  /** Undefined in a client without rate limiting. */
  rateLimiting: typeof rateLimiting | undefined
  rateLimiters: Record<Surface, RateLimiter> | undefined
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
  rateLimiters: limiting && { annotation: limiting.newRateLimiter(), workspace: limiting.newRateLimiter() },
  warned: new Set(),
  inFlight: new Set(),
  unresolved: new Set(),
  ownRecordIds: new Set(),
})

/**
 * Sends a request, and retries it until the expected success comes or `decide` gives up: wait for the rate limiter, add
 * the key, make one attempt, then return, throw, or wait and try again.
 */
export async function send(request: BuiltRequest, call: CallContext): Promise<Reply> {
  // One function: each step of the loop may end the call or begin the next attempt.
  const { operation, settings, state, signal, deadlineAt, attempts, history } = call
  const { clock, retry, hooks } = settings
  const { rateLimiting } = state
  const limiter = state.rateLimiters?.[operation.surface]
  const emit = emitterOf(settings.listeners, operation.id, request)
  let notBefore = -Infinity
  const contextOf = (exchange?: Exchange): ErrorContext => ({
    operation: operation.id,
    surface: operation.surface,
    method: request.method,
    url: shownUrl(request.url),
    attempts,
    isStamped: request.isStamped,
    ...(exchange && 'response' in exchange
      ? { requestId: maskKey(requestIdOf(exchange.response), key), headers: exchange.response.headers }
      : {}),
  })
  if (signal) allowManyListeners(signal)
  let permit: Permit | undefined
  let key: string | undefined
  try {
    for (;;) {
      const number = attempts.length + 1
      signal?.throwIfAborted()
      if (rateLimiting && limiter && operation.key !== 'none') {
        const onWait = (ms: number) => emit?.({ type: 'wait', ms, because: 'rate_limited' })
        const admitted = await rateLimiting.acquire(limiter, {
          clock,
          deadlineAt,
          notBefore,
          longestMs: retry.maxRetryAfterMs,
          signal,
          onWait,
        })
        if ('closedForMs' in admitted) throw rateLimitedError(contextOf(), admitted.closedForMs, clock)
        permit = admitted
      }
      const authorized = await authorize(operation, settings, call)
      key = authorized.key
      if (emit && key?.startsWith('ey') && !state.warned.has(operation.surface)) {
        state.warned.add(operation.surface)
        emit({ type: 'warning', message: 'the key begins with "ey"; most endpoints do not support JWT-style tokens' })
      }
      const { method, url } = request
      const hookContext = { operation: operation.id, method, url, attempt: number }
      const headers = await headersAfterHook(settings, hookContext, authorized.headers, call)
      const timeoutMs = Math.min(call.timeoutMs, deadlineAt - clock.monotonic())
      if (timeoutMs <= 0) throw connectionError(contextOf(), { ...deadlinePassed, ms: settings.deadlineMs })

      emit?.({ type: 'request', attempt: number })
      signal?.throwIfAborted()
      const sentBefore = call.sent
      call.sent = 'maybe'
      call.mode.isSent = true
      const { isRaw } = call.mode
      const exchange = await attempt(request, settings, {
        headers,
        timeoutMs,
        signal,
        isRaw,
        call: { operation: operation.id, template: operation.path, attempt: number },
      })
      const made = attemptOf(exchange)
      if (made.sent === 'no') call.sent = sentBefore
      attempts.push(made)
      emit?.({ attempt: number, ...eventOf(exchange, made, key) })
      const isAnswered = 'response' in exchange
      if (isAnswered && hooks.onResponse) {
        const { status, headers } = exchange.response
        notify(hooks.onResponse, { ...hookContext, status, headers: new Headers([...headers]), ms: made.ms })
      }
      const body = isAnswered ? parseBody(exchange.text) : undefined
      if (
        isAnswered &&
        isSuccess(exchange.response) &&
        !exchange.tooLarge &&
        (isRaw || operation.isSuccessBody(body))
      ) {
        return { body, text: exchange.text, response: exchange.response, attempts }
      }

      const now = clock.monotonic()
      const outcome = outcomeOf(exchange, operation, clock.now())
      const isRateLimited = 'status' in outcome && outcome.status === 429
      history[isRateLimited ? 'refusals' : 'attempts']++
      if ('failure' in outcome && outcome.failure === 'lost') history.lost++
      const random = clock.random()
      const decision = decide(operation.retryClass, outcome, history, retry, random)
      const isLimited = permit !== undefined && isRateLimited
      if (permit && limiter)
        rateLimiting?.release(limiter, permit, isLimited ? resetOf(outcome, decision, now, random) : undefined)
      permit = undefined
      if (decision.next !== 'retry' || now + decision.waitMs >= deadlineAt) {
        if (isAnswered && operation.returnsErrors && exchange.response.status >= 400)
          return { body, text: exchange.text, response: exchange.response, attempts }
        const context = contextOf(exchange)
        const error = isAnswered
          ? serviceError(context, exchange.response.status, body, retryAt(outcome, clock), key, exchange.tooLarge)
          : connectionError(context, exchange)
        // A conflict may be with the record of the earlier attempt.
        const isUnknown = decision.next === 'reconcile' || (call.isSentAgain && made.status === 409)
        throw isUnknown ? ambiguousWriteError(context, error, call.fingerprint()) : error
      }
      notify(hooks.onRetry, { ...hookContext, waitMs: decision.waitMs, status: made.status, cause: made.cause })
      // After a 429 the rate limiter makes this call wait, like all others.
      notBefore = now + decision.waitMs
      if (isLimited) continue
      emit?.({ type: 'wait', ms: decision.waitMs, because: isRateLimited ? 'rate_limited' : 'back_off' })
      await sleep(clock, decision.waitMs, signal)
    }
  } catch (error) {
    if (signal?.aborted && error === signal.reason) emit?.({ type: 'aborted', sent: call.sent })
    throw error
  } finally {
    if (permit && limiter) rateLimiting?.release(limiter, permit)
  }
}

const deadlinePassed = { failure: 'timeout', phase: 'connecting', code: 'time-out' } as const

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
function outcomeOf(exchange: Exchange, operation: Operation, now: number): Outcome {
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

function retryAt(outcome: Outcome, clock: Required<Clock>) {
  const retryAfterMs = 'status' in outcome ? outcome.retryAfterMs : undefined
  return retryAfterMs === undefined ? undefined : { retryAfterMs, retryAt: dateAfter(clock, retryAfterMs) }
}

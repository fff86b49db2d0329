import { sleep } from '../clock.js'
import { manyMayListen } from '../environment.js'
import {
  type Attempt,
  ambiguous,
  disconnected,
  type ErrorContext,
  type Fingerprint,
  masked,
  refused,
  refusedAtGate,
} from '../errors/index.js'
import { shownUrl, tellerOf } from '../events.js'
import { parseBody } from '../json.js'
import type { Operation, Surface } from '../operation.js'
import type { Settings } from '../options.js'
import { type Gate, newGate, pass, report, type Ticket } from '../rate-limit/index.js'
import { type Decision, decide, type Outcome, parseHttpDate, parseRetryAfter } from '../retry/index.js'
import { headerOf, requestIdOf, type TransportResponse } from '../transport.js'
import { attempt, type Exchange, isSuccess } from './attempt.js'
import { authorize } from './auth.js'
import type { BuiltRequest } from './request.js'

/** A declared success, and what it took to get it. */
export interface Reply {
  body: unknown
  text: string
  response: TransportResponse
  attempts: Attempt[]
  /** Where the answer is not the service's own: the id of the request that it stands for. */
  requestId?: string | undefined
}

/** One call: its settings, its limits, and what has happened in it. */
export interface CallContext {
  operation: Operation
  settings: Settings
  state: ClientState
  timeoutMs: number
  /** The instant at which the whole call is over, by the client's clock. */
  deadlineAt: number
  signal: AbortSignal | undefined
  fingerprint: () => Fingerprint
  /** Every request that was made for the call so far. */
  attempts: Attempt[]
  /** Whether the service can have acted on the call by now. */
  sent: 'no' | 'maybe'
}

/**
 * Sends a request until it is answered as declared, or until `decide` says that it is not to be sent again. Sleeps
 * between two requests, and nowhere else.
 */
export async function send(request: BuiltRequest, call: CallContext): Promise<Reply> {
  const { operation, settings, state, signal, deadlineAt, attempts } = call
  const { clock, retry, transport, maxResponseBytes } = settings
  const gate = state.gates[operation.surface]
  const emit = tellerOf(settings.listeners, operation.id, request)
  const history = { attempts: 0, refusals: 0, lost: 0 }
  const contextOf = (exchange?: Exchange): ErrorContext => ({
    operation: operation.id,
    surface: operation.surface,
    method: request.method,
    url: shownUrl(request.url),
    attempts,
    requestId: exchange && 'response' in exchange ? masked(requestIdOf(exchange.response), key) : undefined,
  })
  if (signal) manyMayListen(signal)
  let ticket: Ticket | undefined
  let key: string | undefined
  try {
    for (;;) {
      const number = attempts.length + 1
      signal?.throwIfAborted()
      if (operation.key !== 'none') {
        const waiting = (ms: number) => emit?.({ type: 'wait', ms, because: 'rate_limited' })
        const passed = await pass(gate, { clock, deadlineAt, longestMs: retry.maxRetryAfterMs, signal, waiting })
        if ('closedUntil' in passed) throw refusedAtGate(contextOf(), passed.closedUntil, clock.now())
        ticket = passed
      }
      const authorized = await authorize(operation, settings, call)
      key = authorized.key
      if (emit && key?.startsWith('ey') && !state.warned.has(operation.surface)) {
        state.warned.add(operation.surface)
        emit({
          type: 'warning',
          message: 'the key begins with "ey"; JWT-style tokens are not supported on most endpoints',
        })
      }
      const timeoutMs = Math.min(call.timeoutMs, deadlineAt - clock.now())
      if (timeoutMs <= 0) throw disconnected(contextOf(), { ...outOfTime, ms: settings.deadlineMs })
      emit?.({ type: 'request', attempt: number })
      signal?.throwIfAborted()
      const before = call.sent
      call.sent = 'maybe'
      const { headers } = authorized
      const exchange = await attempt(request, { headers, transport, clock, timeoutMs, signal, maxResponseBytes })
      const made = attemptOf(exchange)
      if (made.sent === 'no') call.sent = before
      attempts.push(made)
      emit?.({ attempt: number, ...eventOf(exchange, key) })
      const answered = 'response' in exchange
      const body = answered ? parseBody(exchange.text) : undefined
      if (answered && isSuccess(exchange.response) && operation.declares(body)) {
        return { body, text: exchange.text, response: exchange.response, attempts }
      }

      const now = clock.now()
      const outcome = outcomeOf(exchange, operation, now)
      const limited = 'status' in outcome && outcome.status === 429
      history[limited ? 'refusals' : 'attempts']++
      if ('failure' in outcome && outcome.failure === 'lost') history.lost++
      const decision = decide(operation.repeat, outcome, history, retry, clock.random())
      if (ticket) report(gate, ticket, limited ? closure(outcome, decision, now) : undefined)
      ticket = undefined
      if (decision.next !== 'retry' || now + decision.waitMs >= deadlineAt) {
        const context = contextOf(exchange)
        const error = answered
          ? refused(context, exchange.response.status, body, retryAt(outcome, now), key, exchange.tooLarge)
          : disconnected(context, exchange)
        throw decision.next === 'reconcile' ? ambiguous(context, error, call.fingerprint()) : error
      }
      // After a 429 the gate knows how long to wait, for this call as for the others.
      if (limited) continue
      emit?.({ type: 'wait', ms: decision.waitMs, because: 'back_off' })
      await sleep(clock, decision.waitMs, signal)
    }
  } catch (error) {
    if (signal?.aborted) emit?.({ type: 'aborted', sent: call.sent })
    throw error
  } finally {
    if (ticket) report(gate, ticket)
  }
}

/** The last instant that a Date can hold. */
const farthest = 8.64e15

/** How long a 429 closes the gate: until the reset, and for a spread beyond it; nothing where nobody says how long. */
function closure({ retryAfterMs }: { retryAfterMs?: number | undefined }, decision: Decision, now: number) {
  const waitMs = decision.next === 'retry' ? decision.waitMs : retryAfterMs
  if (waitMs === undefined) return undefined
  return { resetAt: Math.min(now + (retryAfterMs ?? waitMs), farthest), opensAt: Math.min(now + waitMs, farthest) }
}

/** The deadline passed before anything was sent. */
const outOfTime = { failure: 'timeout', phase: 'connecting', code: 'time-out' } as const

function attemptOf(exchange: Exchange): Attempt {
  if ('response' in exchange) return { status: exchange.response.status, ms: exchange.ms, sent: 'yes' }
  const { code, ms, phase, status } = exchange
  const known = status === undefined ? {} : { status }
  return { ...known, cause: code, ms, sent: status !== undefined ? 'yes' : phase === 'connecting' ? 'no' : 'maybe' }
}

function eventOf(exchange: Exchange, key: string | undefined) {
  const { ms } = exchange
  if ('response' in exchange) {
    const requestId = masked(requestIdOf(exchange.response), key)
    return { type: 'response', status: exchange.response.status, ms, requestId } as const
  }
  return { type: 'failure', cause: exchange.code, ms, sent: exchange.phase === 'connecting' ? 'no' : 'maybe' } as const
}

/** A success that is not the declared one may still have stored something: for a write it is a lost answer. */
function outcomeOf(exchange: Exchange, operation: Operation, now: number): Outcome {
  if (!('response' in exchange)) return { failure: exchange.failure }
  const { response } = exchange
  const stores = operation.repeat === 'write' || operation.repeat === 'legacy'
  if (isSuccess(response) && stores) return { failure: 'lost' }
  const serverNow = parseHttpDate(headerOf(response, 'date') ?? '', now) ?? now
  return { status: response.status, retryAfterMs: parseRetryAfter(headerOf(response, 'retry-after'), serverNow) }
}

function retryAt(outcome: Outcome, now: number) {
  const retryAfterMs = 'status' in outcome ? outcome.retryAfterMs : undefined
  return retryAfterMs === undefined
    ? undefined
    : { retryAfterMs, retryAt: new Date(Math.min(now + retryAfterMs, farthest)) }
}

/** What a client learns and remembers; shared by the clients that are derived from it. */
export interface ClientState {
  /** The gate of each surface's key. */
  gates: Record<Surface, Gate>
  /** Surfaces whose key was warned of. */
  warned: Set<Surface>
  /** What each write in flight is known by: its stamp, or what it would store. */
  inFlight: Set<() => string>
  /** What writes are known by that may have left a record nobody was given, the latest 1 000 of them or more. */
  unresolved: Set<string>
  /** Records that this client's writes stored, the latest 10 000 or more. */
  ownRecordIds: Set<string>
}

export const newState = (): ClientState => ({
  gates: { annotation: newGate(), workspace: newGate() },
  warned: new Set(),
  inFlight: new Set(),
  unresolved: new Set(),
  ownRecordIds: new Set(),
})

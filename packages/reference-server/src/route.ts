import { type Answer, type AnswerCall, type Call, CallerGone, type SentBody } from './call.js'
import { sleep } from './clock.js'
import { corsHeaders, isPreflight, preflightHeaders } from './cors.js'
import { type Fault, parseFault } from './fault.js'
import { afterwards, before, type Faults } from './faults.js'
import { authenticate, authorize, bearer, type KeyRecord, redact } from './guard.js'
import { httpDate } from './http-date.js'
import type { JournalEntry } from './journal.js'
import { type Context, jsonHeaders, type Operation, type Result, type ServerParts } from './operation.js'
import type { RateLimiter } from './rate-limit.js'
import { Refusal } from './refusal.js'
import { failed, refused } from './refused.js'
import { remembered } from './remembered.js'
import type { FindRoute } from './route-table.js'
import type { Surface } from './types.js'

/** What answering needs beside the operations themselves. */
export interface RouteOptions {
  server: ServerParts
  find: FindRoute
  limiter: RateLimiter | undefined
  faults: Faults
  /** Whether a request may ask for a fault by `svc-fault`. */
  faultHeader: boolean
  note(entry: JournalEntry): void
  /** Told of what an operation threw that was no refusal; the caller sees only a 500. */
  onError(error: unknown): void
}

interface Seen {
  operation: Operation | undefined
  key: string | undefined
}

/** Answers calls in the order of checks: route, method, key, permission, rate; the rest is the operation's. */
export function createAnswerer(options: RouteOptions): AnswerCall {
  const { server, find, limiter, faults, note, onError } = options
  const { clock, world, readings } = server

  function decide(call: Call, seen: Seen, at: number): Answer | Promise<Answer> {
    const { surface } = call
    if (call.foreign) throw call.foreign
    const match = find(surface, call.path)
    if (isPreflight(call)) return empty(preflightHeaders(call, match?.route.allow))
    seen.key = keyOf(call.header('authorization') ?? '')
    if (!match) throw new Refusal(404, 'There is no such path.')
    const { allow } = match.route
    if (call.method === 'OPTIONS') return empty({ allow })
    const operation = match.route.methods.get(call.method === 'HEAD' ? 'GET' : call.method)
    if (!operation) throw new Refusal(405, `This path allows ${allow}.`, { headers: { allow } })
    seen.operation = operation
    const met = metBy(call, operation, at)
    if (met.length === 0) return run(call, operation, match.params, seen, at)
    return runAmid(met, call, operation, match.params, seen)
  }

  async function runAmid(
    met: readonly Fault[],
    call: Call,
    operation: Operation,
    params: Context['params'],
    seen: Seen,
  ): Promise<Answer> {
    const { latencyMs, refusal, delivery } = before(met)
    const canSubmit = !met.some(({ kind }) => kind === 'submit-error')
    if (latencyMs > 0) await sleep(clock, latencyMs, call.signal)
    if (latencyMs > 0 && call.signal.aborted) throw new CallerGone('The caller went away in latency.')
    if (refusal) throw refusal
    if (delivery) return { status: 499, headers: {}, body: '', delivery }
    try {
      return afterwards(met, await run(call, operation, params, seen, clock.now(), canSubmit))
    } catch (error) {
      return afterwards(met, refuse(call.surface, error, onError))
    }
  }

  /** What waits for nothing is answered without a promise. */
  function run(
    call: Call,
    operation: Operation,
    params: Context['params'],
    seen: Seen,
    at: number,
    canSubmit = true,
  ): Answer | Promise<Answer> {
    const key = operation.open?.(readings) ? undefined : admitted(operation, seen.key, at)
    const result = operation.run(new CallContext(call, params, key, server, canSubmit))
    if (!(result instanceof Promise)) return succeed(call.surface, result, at)
    return result.then((late) => succeed(call.surface, late, at))
  }

  function metBy(call: Call, { id }: Operation, at: number): readonly Fault[] {
    const met = faults.meet(id, at)
    const asked = options.faultHeader ? call.header(faultHeader) : null
    return asked === null ? met : [...met, faultAsked(asked)]
  }

  function admitted({ surface, permission, limits }: Operation, named: string | undefined, at: number): KeyRecord {
    const known = named === undefined ? undefined : world.key(named)
    const key = authenticate(surface, known, readings.separateKeys)
    if (permission) authorize(key, permission)
    world.use(key, at)
    if (limits) limiter?.pass(surface, key.key, at, limits === 'provider')
    return key
  }

  return (call) => {
    const at = clock.now()
    const seen: Seen = { operation: undefined, key: undefined }
    const answerTo = (error: unknown) => refuse(call.surface, error, onError)
    let answer: Answer | Promise<Answer>
    try {
      answer = decide(call, seen, at)
    } catch (error) {
      answer = answerTo(error)
    }
    if (!(answer instanceof Promise)) return ended(call, seen, at, answer)
    return answer.then(
      (late) => ended(call, seen, at, late),
      (error) => ended(call, seen, at, answerTo(error)),
    )
  }

  function ended(call: Call, { operation, key }: Seen, at: number, answer: Answer): Answer {
    note({
      method: call.method,
      surface: call.surface,
      path: shownPath(call.query === '' ? call.path : `${call.path}?${call.query}`, key),
      operation: operation?.id ?? null,
      status: answer.status,
      key: key === undefined ? null : shown(key),
      at,
    })
    return dated(answer, call.foreign ? undefined : corsHeaders(call), httpDate(clock.now()))
  }

  function succeed(surface: Surface, result: Result, startedAt: number): Answer {
    const { status, headers } = result
    if ('text' in result) return { status, headers: headers ?? {}, body: result.text }
    const members = 'members' in result ? result.members : JSON.stringify(result.body).slice(1, -1)
    if (surface === 'annotation') return json(status, `{${members}}`, headers)
    return json(status, `{${members},"processing_time_ms":${JSON.stringify(clock.now() - startedAt)}}`, headers)
  }
}

/** Asks for a fault on the request that carries it, where the server was told to listen to that. */
export const faultHeader = 'svc-fault'

function faultAsked(text: string): Fault {
  try {
    const { on, skip, times, ...fault } = parseFault(text)
    if (on === undefined && skip === undefined && times === undefined) return fault
    throw new Error('A request asks for a fault of its own, without operation, skip and times.')
  } catch (error) {
    throw new Refusal(400, `${faultHeader}: ${(error as Error).message}`)
  }
}

class CallContext implements Context {
  readonly params: Context['params']
  readonly key: KeyRecord | undefined
  readonly workspace: string
  readonly server: ServerParts
  readonly canSubmit: boolean
  readonly #call: Call

  constructor(
    call: Call,
    params: Context['params'],
    key: KeyRecord | undefined,
    server: ServerParts,
    canSubmit: boolean,
  ) {
    this.canSubmit = canSubmit
    this.#call = call
    this.params = params
    this.key = key
    this.workspace = key?.workspace ?? ''
    this.server = server
  }

  get query(): URLSearchParams {
    return queryOf(this.#call.query)
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  header(name: string): string | null {
    return this.#call.header(name)
  }

  readBody(limit: number): Promise<SentBody> {
    return this.#call.readBody(limit)
  }
}

/** Draws the one envelope of the surface; what is no refusal says nothing of itself, and is told to `onError`. */
function refuse(surface: Surface, error: unknown, onError: RouteOptions['onError']): Answer {
  if (error instanceof CallerGone) return { status: 499, headers: {}, body: '' }
  if (!(error instanceof Refusal)) onError(error)
  return error instanceof Refusal ? refused(surface, error) : failed(surface)
}

/** The time is the world's, on every edge: a client measures with it. */
function dated(answer: Answer, cors: Answer['headers'] | undefined, date: string): Answer {
  const { status, headers, body, delivery } = answer
  // The headers of almost every answer; a copy of an object costs more than the rest of this.
  const all = headers === jsonHeaders && !cors ? jsonHeadersAt(date) : { ...headers, ...cors, date }
  return delivery ? { status, headers: all, body, delivery } : { status, headers: all, body }
}

const jsonHeadersAt = remembered((date: string) => Object.freeze({ ...jsonHeaders, date }))

const empty = (headers: Answer['headers']): Answer => ({ status: 204, headers, body: '' })

function json(status: number, body: string, headers: Readonly<Record<string, string>> | undefined): Answer {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body }
}

const shown = remembered(redact)

// Of equal texts the first is given again: a map has its hash already, and the journal keeps one for many.
const keyOf = remembered((header: string) => bearer(header))
const withoutServiceKeys = remembered((path: string) =>
  path.replace(/sk-(?:service|legacy)-api03-[\w.~%+-]+/gi, redact),
)

/** A path and its query, without the key of the request and other keys of the service. */
function shownPath(path: string, key = ''): string {
  const known = withoutServiceKeys(path)
  // A shorter key is a word like any other.
  if (key.length < 8) return known
  return [key, encodeURIComponent(key)].reduce((text, form) => text.replaceAll(form, redact), known)
}

/** Nobody changes what is read of a query. */
const queryOf = remembered((text: string) => new URLSearchParams(text))

import { type Answer, type AnswerCall, type Call, CallerGone } from './call.js'
import { authenticate, authorize, bearer, type KeyRecord, redact } from './guard.js'
import type { JournalEntry } from './journal.js'
import type { Context, Operation, Result, ServerParts } from './operation.js'
import { admit, type RateLimits, type Window } from './rate-limit.js'
import { envelope, Refusal } from './refusal.js'
import type { FindRoute } from './route-table.js'
import type { Surface } from './types.js'

/** What answering needs beside the operations themselves. */
export interface RouteOptions {
  server: ServerParts
  find: FindRoute
  limits: RateLimits | undefined
  note(entry: JournalEntry): void
  /** Told of what an operation threw that was no refusal; the caller sees only a 500. */
  onError(error: unknown): void
}

interface Seen {
  operation: Operation | undefined
  key: string | undefined
}

/** Answers calls in the order of checks: route, method, key, permission, rate; the rest is the operation's. */
export function createAnswerer({ server, find, limits, note, onError }: RouteOptions): AnswerCall {
  const { clock, world, readings } = server
  const windows: Record<Surface, Map<string, Window>> = { annotation: new Map(), workspace: new Map() }

  async function decide(call: Call, seen: Seen): Promise<Result> {
    const { surface } = call
    const match = find(surface, call.path)
    if (!match) throw new Refusal(404, 'There is no such path.')
    if (call.method === 'OPTIONS') return { status: 204, headers: { allow: match.route.allow }, body: {} }
    const operation = match.route.methods.get(call.method === 'HEAD' ? 'GET' : call.method)
    if (!operation) {
      throw new Refusal(405, `This path allows ${match.route.allow}.`, { headers: { allow: match.route.allow } })
    }
    seen.operation = operation
    seen.key = bearer(call.header('authorization'))
    const key = operation.open?.(readings) ? undefined : admitted(operation, seen.key)
    return operation.run(new CallContext(call, match.params, key, server))
  }

  function admitted({ surface, permission, limited }: Operation, named: string | undefined): KeyRecord {
    const known = named === undefined ? undefined : world.key(named)
    const key = authenticate(surface, known, readings.separateKeys)
    if (permission) authorize(key, permission)
    const now = clock.now()
    key.last_used_at = now
    if (!limits || !limited) return key
    const { window, retryAfterSeconds } = admit(windows[surface].get(key.key), now, limits)
    windows[surface].set(key.key, window)
    if (retryAfterSeconds === undefined) return key
    const headers = { 'retry-after': String(retryAfterSeconds) }
    throw new Refusal(429, 'The rate limit of this key is used up.', { headers })
  }

  return async (call) => {
    const at = clock.now()
    const seen: Seen = { operation: undefined, key: undefined }
    let answer: Answer
    try {
      answer = succeed(call.surface, await decide(call, seen), at)
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof CallerGone)) onError(error)
      answer = refuse(call.surface, error)
    }
    note({
      method: call.method,
      surface: call.surface,
      path: call.query === '' ? call.path : `${call.path}?${call.query}`,
      operation: seen.operation?.id ?? null,
      status: answer.status,
      key: seen.key === undefined ? null : redact(seen.key),
      at,
    })
    // The time is the world's, on every edge: a client measures with it.
    return { ...answer, headers: { ...answer.headers, date: new Date(at).toUTCString() } }
  }

  function succeed(surface: Surface, result: Result, startedAt: number): Answer {
    if (result.status === 204) return { status: 204, headers: result.headers ?? {}, body: '' }
    const timed =
      surface === 'workspace' ? { ...result.body, processing_time_ms: clock.now() - startedAt } : result.body
    return json(result.status, timed, result.headers)
  }
}

class CallContext implements Context {
  readonly params: Context['params']
  readonly key: KeyRecord | undefined
  readonly workspace: string
  readonly server: ServerParts
  readonly #call: Call

  constructor(call: Call, params: Context['params'], key: KeyRecord | undefined, server: ServerParts) {
    this.#call = call
    this.params = params
    this.key = key
    this.workspace = key?.workspace ?? ''
    this.server = server
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#call.query)
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  header(name: string): string | null {
    return this.#call.header(name)
  }

  readBody(limit: number): Promise<Uint8Array> {
    return this.#call.readBody(limit)
  }
}

/** Draws the one envelope of the surface; what is no refusal says nothing of itself. */
function refuse(surface: Surface, error: unknown): Answer {
  if (error instanceof CallerGone) return { status: 499, headers: {}, body: '' }
  const refusal = error instanceof Refusal ? error : new Refusal(500, 'The server failed.')
  return json(refusal.status, envelope(surface, refusal), refusal.headers)
}

const jsonHeaders = { 'content-type': 'application/json' }

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> | undefined): Answer {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body: JSON.stringify(body) }
}

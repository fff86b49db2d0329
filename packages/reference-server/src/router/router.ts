import { authenticate, authorize, bearer, type KeyRecord, redact } from '../auth.js'
import { httpDate, sleep } from '../clock.js'
import { afterwards, before, type Fault, type Faults, parseFault } from '../faults.js'
import {
  ClientClosedRequest,
  type Handler,
  type IncomingRequest,
  internalError,
  type OutgoingResponse,
  refusalResponse,
} from '../http-messages.js'
import type { RateLimiter } from '../rate-limit.js'
import { Refusal } from '../refusal.js'
import type { Context, Operation, ServerParts } from '../routes/index.js'
import type { Surface } from '../types.js'
import type { FindRoute } from './route-table.js'

/** What answering needs beside the operations themselves. */
export interface RouterOptions {
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
export function createRouter(options: RouterOptions): Handler {
  const { server, find, limiter, faults, note, onError } = options
  const { clock, world, readings } = server

  async function decide(call: IncomingRequest, seen: Seen, at: number): Promise<OutgoingResponse> {
    const { surface } = call
    if (call.rejection) throw call.rejection
    const match = find(surface, call.path)
    if (isPreflight(call)) return empty(preflightHeaders(call, match?.route.allow))
    seen.key = bearer(call.header('authorization'))
    if (!match) throw new Refusal(404, 'There is no such path.')
    const { allow } = match.route
    if (call.method === 'OPTIONS') return empty({ allow })
    const operation = match.route.methods.get(call.method === 'HEAD' ? 'GET' : call.method)
    if (!operation) throw new Refusal(405, `This path allows ${allow}.`, { headers: { allow } })
    seen.operation = operation
    const met = metBy(call, operation, at)
    const { latencyMs, refusal, delivery } = before(met)
    if (latencyMs > 0) {
      await sleep(clock, latencyMs, call.signal)
      if (call.signal.aborted) throw new ClientClosedRequest('The caller went away in latency.')
    }
    if (refusal) throw refusal
    if (delivery) return { status: 499, headers: {}, body: '', delivery }
    const canSubmit = !met.some(({ kind }) => kind === 'submit-error')
    const answer = run(call, operation, match.params, seen.key, canSubmit)
    return afterwards(met, await answer.catch((error: unknown) => refuse(surface, error, onError)))
  }

  async function run(
    call: IncomingRequest,
    operation: Operation,
    params: Context['params'],
    named: string | undefined,
    canSubmit: boolean,
  ): Promise<OutgoingResponse> {
    const at = clock.now()
    const key = operation.open?.(readings) ? undefined : admitted(operation, named, at)
    const context: Context = { call, params, key, workspace: key?.workspace ?? '', server, canSubmit }
    const { status, headers = {}, body } = await operation.run(context)
    if (typeof body === 'string') return { status, headers, body }
    const whole = call.surface === 'workspace' ? { ...body, processing_time_ms: clock.now() - at } : body
    return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(whole) }
  }

  function metBy(call: IncomingRequest, { id }: Operation, at: number): readonly Fault[] {
    const met = faults.match(id, at)
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

  return async (call) => {
    const at = clock.now()
    const seen: Seen = { operation: undefined, key: undefined }
    const answer = await decide(call, seen, at).catch((error: unknown) => refuse(call.surface, error, onError))
    const { operation, key } = seen
    note({
      method: call.method,
      surface: call.surface,
      path: shownPath(call.query === '' ? call.path : `${call.path}?${call.query}`, key),
      operation: operation?.id ?? null,
      status: answer.status,
      key: key === undefined ? null : redact(key),
      at,
    })
    const cors = call.rejection ? undefined : corsHeaders(call)
    // The time is the world's, on every edge: a client measures with it.
    return { ...answer, headers: { ...answer.headers, ...cors, date: httpDate(clock.now()) } }
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

/** Draws the one envelope of the surface; what is no refusal says nothing of itself, and is told to `onError`. */
function refuse(surface: Surface, error: unknown, onError: RouterOptions['onError']): OutgoingResponse {
  if (error instanceof ClientClosedRequest) return { status: 499, headers: {}, body: '' }
  if (!(error instanceof Refusal)) onError(error)
  return error instanceof Refusal ? refusalResponse(surface, error) : internalError(surface)
}

const empty = (headers: OutgoingResponse['headers']): OutgoingResponse => ({ status: 204, headers, body: '' })

/** A path and its query, without the key of the request and other keys of the service. */
function shownPath(path: string, key = ''): string {
  const known = path.replace(/sk-(?:service|legacy)-api03-[\w.~%+-]+/gi, redact)
  // A shorter key is a word like any other.
  if (key.length < 8) return known
  return [key, encodeURIComponent(key)].reduce((text, form) => text.replaceAll(form, redact), known)
}

type Headers = Readonly<Record<string, string>>

/** An origin that may not ask has been refused before. */
const allowing = (origin: string): Headers => ({ 'access-control-allow-origin': origin, vary: 'origin' })

/** What a browser must be told so that a page of an allowed origin may read the answer; nothing for whoever names none. */
function corsHeaders(call: IncomingRequest): Headers | undefined {
  const origin = call.header('origin')
  if (origin === null) return undefined
  return { ...allowing(origin), 'access-control-expose-headers': 'retry-after, date, allow, www-authenticate' }
}

/** Whether a browser asks if it may send a request. It sends no key with the question. */
const isPreflight = (call: IncomingRequest): boolean =>
  call.method === 'OPTIONS' && call.header('origin') !== null && call.header('access-control-request-method') !== null

/** Lets a browser send what a path allows, and what it asks for, with the headers that it asked for, and ask again after ten minutes. */
function preflightHeaders(call: IncomingRequest, allow = 'OPTIONS'): Headers {
  const asked = call.header('access-control-request-method') ?? ''
  return {
    ...allowing(call.header('origin') ?? ''),
    // A page that may not send it would see no 404 and no 405, but a network error.
    'access-control-allow-methods': allow.split(', ').includes(asked) ? allow : `${allow}, ${asked}`,
    'access-control-allow-headers': call.header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  }
}

/** One request that was answered. Keys are redacted; bodies are not kept. */
export interface JournalEntry {
  /** As it came: HEAD and OPTIONS, too. */
  method: string
  /** Under whose base it came; `annotation` for what stands under none. */
  surface: Surface
  /** The path below the base URL of its surface, with the query; as it was sent, but for the keys in it. */
  path: string
  /** The operation's id, such as `projects.create`; null where none was found. */
  operation: string | null
  /** 499 where the caller went away before the answer. */
  status: number
  /** Prefix and last four characters; null without a key. */
  key: string | null
  /** Milliseconds since the epoch. */
  at: number
}

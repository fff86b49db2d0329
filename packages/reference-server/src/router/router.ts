import { authenticate, authorize, bearer } from '../auth.js'
import { httpDate, monotonicOf, sleep } from '../clock.js'
import {
  type AppliedFault,
  appliesTo,
  type Faults,
  faultsAfter,
  faultsBefore,
  requestedFault,
  sizeLimit,
} from '../faults/index.js'
import {
  ClientClosedRequest,
  errorResponse,
  type Handler,
  type IncomingRequest,
  type OutgoingResponse,
} from '../http-messages.js'
import { type JournalEntry, journalEntry } from '../journal/index.js'
import type { RateLimiter } from '../rate-limit.js'
import { Refusal } from '../refusal.js'
import type { Context, Operation, ServerParts } from '../routes/index.js'
import { parseJson } from '../validation/index.js'
import { type CheckedRequest, findProblems } from '../violations/index.js'
import type { FindRoute } from './route-table.js'

export interface RouterOptions {
  server: ServerParts
  findRoute: FindRoute
  limiter: RateLimiter
  faults: Faults
  faultHeader: boolean
  record(entry: JournalEntry): void
  /** Called with every error that is no `Refusal`; the client sees a 500 without it. */
  onError(error: unknown): void
}

/** The entry of a request on its way, and what the check needs to know. */
interface Trace extends Omit<CheckedRequest, 'ambiguities'> {
  entry: JournalEntry
}

/** Create the handler of both surfaces. It never rejects. */
export function createRouter(options: RouterOptions): Handler {
  // One function: it is the order in which the parts see a request.
  const { server, findRoute, limiter, faults, onError } = options
  const { clock, world } = server

  return async (request) => {
    const key = bearer(request.header('authorization'))
    const entry = journalEntry(request, clock.now(), key, key === undefined ? undefined : world.key(key))
    const startedAt = monotonicOf(clock)
    const trace: Trace = { request, entry, params: {} }
    const response = await route(request, trace).catch((error) => errorFor(request, trace, error))
    check(trace)
    // Every edge sends the time of the server's clock: a client measures with it.
    const date = server.ambiguities.dateHeader && { date: httpDate(clock.now()) }
    const headers = { ...response.headers, ...corsHeaders(request, response), ...date }
    entry.status = response.status
    entry.delivery = response.delivery?.kind ?? 'whole'
    entry.answer = { headers, body: response.body }
    entry.durationMs = monotonicOf(clock) - startedAt
    options.record(entry)
    return { ...response, headers }
  }

  /** Compare a request with the description of the interface, after its response is decided. */
  function check(trace: Trace): void {
    const { entry, operation } = trace
    const problems = findProblems(trace, server.ambiguities)
    if (problems.length > 0) entry.problems = problems
    const isSeen = entry.bodyBytes !== undefined && (trace.body !== undefined || trace.refusal !== undefined)
    if (operation?.body && !isSeen) entry.isUnchecked = true
  }

  function errorFor({ surface }: IncomingRequest, { entry }: Trace, error: unknown): OutgoingResponse {
    const note = (cause: unknown) => {
      entry.error = String(cause)
      onError(cause)
    }
    return errorResponse(surface, error, note, server.ambiguities.errorBody)
  }

  /** The first checks, in order: host and origin, path, method. Then the faults around the operation. */
  async function route(request: IncomingRequest, trace: Trace): Promise<OutgoingResponse> {
    const { entry } = trace
    // 403: only the HTTP edge checks host and origin.
    if (request.rejection) throw request.rejection

    // 404. A preflight is answered first, so that a page sees the 404.
    const match = findRoute(request.surface, request.path)
    if (isPreflight(request)) return noContent(preflightHeaders(request, match?.route.allow))
    if (!match) throw noteRefusal(trace, new Refusal(404, 'There is no such path.'))

    // 405
    const { methods, allow } = match.route
    if (request.method === 'OPTIONS') return noContent({ allow })
    const operation = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (!operation) throw noteRefusal(trace, new Refusal(405, `This path allows ${allow}.`, { headers: { allow } }))
    entry.operation = operation.id
    trace.operation = operation
    trace.params = match.params

    const keepBody: Context['keepBody'] = (body, bytes) => {
      if ('value' in body) trace.body = body
      entry.body = 'value' in body ? body.value : body.text
      entry.bodyBytes = bytes
    }
    const active = await activeFaults(request, operation, entry, keepBody)
    entry.faults = active.map(({ kind }) => kind)
    const { latencyMs, refusal, response: early } = faultsBefore(active, entry.at)
    if (latencyMs > 0) {
      await sleep(clock, latencyMs, request.signal)
      if (request.signal.aborted) throw new ClientClosedRequest()
    }
    if (refusal) throw refusal
    if (early) return early
    const canSubmit = !active.some(({ kind }) => kind === 'submit-error')
    const context = { request, params: match.params, canSubmit, keepBody }
    const response = await run(operation, context, entry).catch((error) => {
      if (entry.ran) noteRefusal(trace, error)
      return errorFor(request, trace, error)
    })
    return faultsAfter(active, response)
  }

  /** The checks of the key, in order; the operation makes the others: path parameters, size, JSON, fields, resource. */
  async function run(
    operation: Operation,
    { request, ...parts }: Omit<Context, 'workspace' | 'server'>,
    entry: JournalEntry,
  ): Promise<OutgoingResponse> {
    const { ambiguities } = server
    const { surface, permission, limits } = operation
    const now = clock.now()
    const startedAt = monotonicOf(clock)
    let workspace = ''
    if (!operation.open?.(ambiguities)) {
      // 401, or 403 for a revoked key on the annotation surface
      const sent = bearer(request.header('authorization'))
      const key = authenticate(surface, sent === undefined ? undefined : world.key(sent), ambiguities.separateKeys)
      // 403
      if (permission) authorize(key, permission)
      world.use(key, now)
      // 429
      if (limits) limiter.count(surface, key.key, now, limits === 'provider')
      workspace = key.workspace
    }

    entry.ran = true
    const { status, headers = {}, body } = await operation.run({ request, ...parts, workspace, server })
    if (typeof body === 'string') return { status, headers, body }
    const json = surface === 'workspace' ? { ...body, processing_time_ms: monotonicOf(clock) - startedAt } : body
    return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) }
  }

  async function activeFaults(
    request: IncomingRequest,
    operation: Operation,
    entry: JournalEntry,
    keepBody: Context['keepBody'],
  ): Promise<readonly AppliedFault[]> {
    const { id, method } = operation
    const needed = method === 'POST' ? faults.needed(id) : 'nothing'
    if (needed === 'body') await showBody(request, keepBody)
    const size = needed === 'nothing' ? 0 : (entry.bodyBytes ?? (await bodySize(request)))
    const matched = faults.match(id, entry.at, { path: request.path, size, entry })
    const requested = options.faultHeader ? requestedFault(request) : undefined
    const sizeToo = requested && sizeLimit(requested) > 0 ? await bodySize(request) : size
    const active = requested && appliesTo(requested, sizeToo) ? [...matched, requested] : matched
    // The operation does not read it, but the journal shows what was sent.
    const isScripted = active.some(({ kind }) => kind === 'status')
    if (isScripted && method === 'POST' && entry.bodyBytes === undefined) await showBody(request, keepBody)
    return active
  }
}

/** Show the body to the journal and the check, before the operation reads it; none that is too large. */
async function showBody(request: IncomingRequest, keepBody: Context['keepBody']): Promise<void> {
  try {
    const content = await request.readBody(maxMeasuredBytes)
    keepBody(receivedBody(content), content.byteLength)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

function receivedBody(content: Uint8Array) {
  try {
    return { value: parseJson(content, 'application/json', 400) }
  } catch {
    return { text: new TextDecoder().decode(content) }
  }
}

/** Keep a refusal of what was sent for the check. */
function noteRefusal<T>(trace: Trace, error: T): T {
  if (error instanceof Refusal) trace.refusal = error
  return error
}

/** More than any body that an operation takes by default. */
const maxMeasuredBytes = 64 * 2 ** 20

/** The size of a body in bytes, as declared or as read. Infinity beyond what is read. */
async function bodySize(request: IncomingRequest): Promise<number> {
  const declared = request.header('content-length')
  if (declared !== null) return Number(declared)
  try {
    return (await request.readBody(maxMeasuredBytes)).byteLength
  } catch (error) {
    if (error instanceof Refusal) return Number.POSITIVE_INFINITY
    throw error
  }
}

const noContent = (headers: OutgoingResponse['headers']): OutgoingResponse => ({ status: 204, headers, body: '' })

type Headers = Readonly<Record<string, string>>

const allowOrigin = (origin: string): Headers => ({ 'access-control-allow-origin': origin, vary: 'origin' })

/** Let a page of an allowed origin read the response; the HTTP edge has already refused every other origin. */
function corsHeaders(request: IncomingRequest, { headers }: OutgoingResponse): Headers | undefined {
  const origin = request.header('origin')
  if (origin === null || request.rejection) return undefined
  const exposed = [...exposedHeaders, ...rareHeaders.filter((name) => headers[name] !== undefined)]
  return { ...allowOrigin(origin), 'access-control-expose-headers': exposed.join(', ') }
}

const exposedHeaders = ['retry-after', 'date', 'allow', 'www-authenticate']
/** Exposed only by the responses that have them. */
const rareHeaders = ['location', 'retry-after-ms']

const isPreflight = ({ method, header }: IncomingRequest): boolean =>
  method === 'OPTIONS' && header('origin') !== null && header('access-control-request-method') !== null

/** Allow the methods of a path and the headers that the browser asks for, for ten minutes. A preflight carries no key. */
function preflightHeaders({ header }: IncomingRequest, allow = 'OPTIONS'): Headers {
  const requested = header('access-control-request-method') ?? ''
  return {
    ...allowOrigin(header('origin') ?? ''),
    // A method that is not allowed must be sent too, or the page would see a network error in place of the 404 or 405.
    'access-control-allow-methods': allow.split(', ').includes(requested) ? allow : `${allow}, ${requested}`,
    'access-control-allow-headers': header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  }
}

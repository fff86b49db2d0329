import type { Ambiguities } from '../ambiguities/index.js'
import { type Base, resolveTarget, unknownTarget } from '../bases.js'
import { type Clock, sleep } from '../clock.js'
import {
  abortable,
  bytesOf,
  ClientClosedRequest,
  type DeliveryFault,
  firstBytes,
  type Handler,
  type IncomingRequest,
  internalError,
  type OutgoingResponse,
} from '../http-messages.js'
import { Refusal } from '../refusal.js'
import { tooLarge } from '../validation/index.js'

export interface EdgeParts {
  clock: Clock
  /** The ambiguities that an edge needs, at this time. */
  ambiguities(): Pick<Ambiguities, 'dateHeader' | 'errorBody'>
}

/** A function with the signature of the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

/**
 * Create a `fetch` that answers in process. An abort rejects with the reason of the signal, delivery faults with the errors of
 * Node's `fetch`, `cause.code` included. A request body that cannot be read rejects with a TypeError; its `cause` is the error
 * of the stream.
 */
export function createFetch(handler: Handler, bases: () => readonly Base[], { clock, ambiguities }: EdgeParts): Fetch {
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    if (request.bodyUsed) throw new TypeError('The body of the Request has been used already.')
    const { method, signal } = request
    signal.throwIfAborted()
    let bodyError: unknown
    let body: Promise<Uint8Array> | undefined
    const incoming: IncomingRequest = {
      edge: 'fetch',
      method,
      signal,
      scheme: request.url.startsWith('https:') ? 'https' : 'http',
      ...(resolveTarget(bases(), request.url) ?? unknownTarget),
      header: (name) => request.headers.get(name),
      headers: () => Object.fromEntries(request.headers),
      async readBody(limit) {
        body ??= readBytes(request, limit).catch((error: unknown) => {
          if (error instanceof Refusal || error instanceof ClientClosedRequest) throw error
          bodyError = error
          throw new ClientClosedRequest('The body of the request could not be read.', { cause: error })
        })
        const bytes = await body
        if (bytes.byteLength > limit) throw tooLarge(limit)
        return bytes
      },
    }
    // The handler ends on an abort, so that the journal has the request before the caller goes on.
    const response = await handler(incoming)
    signal.throwIfAborted()
    const { delivery } = response
    if (delivery?.kind === 'hang') return aborted(signal)
    if (delivery?.kind === 'reset') throw fetchError('fetch failed', 'read ECONNRESET', 'ECONNRESET')
    if (delivery?.kind === 'close') throw fetchError('fetch failed', 'other side closed', 'UND_ERR_SOCKET')
    if (response.status === 499 && !delivery)
      throw new TypeError('The body of the request could not be read.', { cause: bodyError })
    try {
      return toResponse(method, response, signal, clock)
    } catch {
      return toResponse(method, internalError(incoming.surface, ambiguities().errorBody), signal, clock)
    }
  }
}

/** Read a body of at most `limit` bytes. On any error the stream is cancelled. */
async function readBytes({ body, signal }: Request, limit: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal)
      if (done && signal.aborted) throw new ClientClosedRequest(undefined, { cause: signal.reason })
      if (done) return join(chunks, length)
      if (!isUint8Array(value))
        throw new TypeError('The stream of a body must give Uint8Array chunks; text has to be encoded first.')
      chunks.push(value)
      length += value.byteLength
      if (length > limit) throw tooLarge(limit)
    }
  } catch (error) {
    // Not awaited: a source may never confirm its cancellation.
    reader.cancel((error as Error | undefined)?.cause).catch(() => {})
    throw error
  }
}

/** Also true for an array of another realm, as in a test environment. */
const isUint8Array = (chunk: unknown) => Object.prototype.toString.call(chunk) === '[object Uint8Array]'

export function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

function toResponse(
  method: string,
  { status, headers, body, delivery }: OutgoingResponse,
  signal: AbortSignal,
  clock: Clock,
): Response {
  if (status === 204) return new Response(null, { status, headers })
  const bytes = bytesOf(body)
  const init = { status, headers: { ...headers, 'content-length': String(bytes.byteLength) } }
  if (method === 'HEAD') return new Response(null, init)
  return new Response(delivery && 'bytes' in delivery ? faultyStream(bytes, delivery, signal, clock) : bytes, init)
}

type BodyFault = Extract<DeliveryFault, { bytes: number }>

/** A body that drips, stalls or breaks off. */
function faultyStream(
  body: Uint8Array,
  fault: BodyFault,
  signal: AbortSignal,
  clock: Clock,
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const chunks = faultyChunks(body, fault, AbortSignal.any([signal, cancelled.signal]), clock)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => cancelled.abort(),
    },
    // The error of a truncated body would discard a chunk that is queued and not read yet.
    { highWaterMark: fault.kind === 'drip' ? 1 : 0 },
  )
}

async function* faultyChunks(body: Uint8Array, fault: BodyFault, signal: AbortSignal, clock: Clock) {
  if (fault.kind === 'drip') return yield* drip(body, fault, signal, clock)
  signal.throwIfAborted()
  const first = firstBytes(body, fault.bytes)
  if (first.byteLength > 0) yield first
  if (fault.kind === 'stall') await aborted(signal)
  throw fetchError('terminated', 'other side closed', 'UND_ERR_SOCKET')
}

/** The pieces of a dripping body. Throws the reason of the signal when it is aborted. */
export async function* drip(
  body: Uint8Array,
  { bytes, everyMs }: Extract<DeliveryFault, { kind: 'drip' }>,
  signal: AbortSignal,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += bytes) {
    if (start > 0) await sleep(clock, everyMs, signal)
    signal.throwIfAborted()
    yield body.subarray(start, start + bytes)
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  throw signal.reason
}

const fetchError = (message: string, cause: string, code: string) =>
  new TypeError(message, { cause: Object.assign(new Error(cause), { code }) })

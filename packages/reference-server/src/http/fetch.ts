import { type Base, resolveTarget, unknownTarget } from '../bases.js'
import type { Clock } from '../clock.js'
import {
  abortable,
  bytesOf,
  ClientClosedRequest,
  type DeliveryFault,
  drip,
  firstBytes,
  type Handler,
  type IncomingRequest,
  internalError,
  type OutgoingResponse,
} from '../http-messages.js'
import type { Surface } from '../types.js'
import { tooLarge, utf8Length } from '../validation/index.js'

/** A Fetch: a Request in, or what makes one, and a Response out. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

/**
 * Answers Requests in process. An abort rejects with the reason of the signal, as `fetch` does. What fails to arrive does so
 * as in Node's `fetch`, `cause.code` included; a whole answer is handed over whole. A body that cannot be read rejects with
 * a TypeError, its `cause` the error of the stream: as the standard has it, a stream gives nothing but Uint8Array chunks.
 */
export function createFetch(answerCall: Handler, bases: () => readonly Base[], clock: Clock): Fetch {
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    if (request.bodyUsed) throw new TypeError('The body of the Request has been used already.')
    const { method, signal } = request
    signal.throwIfAborted()
    let unread: unknown
    const call: IncomingRequest = {
      method,
      signal,
      ...(resolveTarget(bases(), request.url) ?? unknownTarget),
      header: (name) => request.headers.get(name),
      readBody: (limit) =>
        readBytes(request, limit, (why) => {
          unread = why
          return new ClientClosedRequest('The body could not be read.', { cause: why })
        }),
    }
    // Whatever waits for something ends when the caller goes away, so the journal has the request before the caller goes on.
    const answer = await answerCall(call)
    signal.throwIfAborted()
    if (answer.delivery) return deliver(method, answer, answer.delivery, signal, clock)
    if (answer.status === 499) throw new TypeError('The body of the request could not be read.', { cause: unread })
    return written(method, call.surface, answer)
  }
}

function written(method: string, surface: Surface, answer: OutgoingResponse): Response {
  try {
    return toResponse(method, answer)
  } catch {
    return toResponse(method, internalError(surface))
  }
}

function toResponse(method: string, { status, headers, body }: OutgoingResponse): Response {
  if (status === 204) return new Response(null, { status, headers })
  const length = String(utf8Length(body))
  return new Response(method === 'HEAD' ? null : body, { status, headers: { ...headers, 'content-length': length } })
}

/** All bytes of a Request's body, or a refusal as soon as they are over the limit. An abort cancels the stream. */
async function readBytes(
  request: Request,
  limit: number,
  unreadable: (why: unknown) => ClientClosedRequest,
): Promise<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await abortable(reader.read(), request.signal).catch((why: unknown) => {
      if (!(why instanceof ClientClosedRequest)) throw unreadable(why)
      reader.cancel(why.cause).catch(() => {})
      throw why
    })
    if (done) return join(chunks, length)
    if (!isBytes(value)) {
      reader.cancel().catch(() => {})
      throw unreadable(new TypeError('The stream of a body must give Uint8Array chunks; text has to be encoded first.'))
    }
    chunks.push(value)
    length += value.byteLength
    if (length <= limit) continue
    // Not awaited: a source that never answers its cancellation must not hold the refusal back.
    reader.cancel().catch(() => {})
    throw tooLarge(limit)
  }
}

/** Also those of another realm, as a test environment may have them. */
const isBytes = (chunk: unknown) => Object.prototype.toString.call(chunk) === '[object Uint8Array]'

/** The chunks as one array; one chunk is given back as it is. */
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

/** An answer that fails to arrive, as `fetch` of Node shows it. An abort ends it with the reason of the signal. */
function deliver(
  method: string,
  answer: OutgoingResponse,
  delivery: DeliveryFault,
  signal: AbortSignal,
  clock: Clock,
): Promise<Response> | Response {
  if (!('bytes' in delivery)) return without(delivery.kind, signal)
  const { status, headers } = answer
  if (status === 204) return new Response(null, { status, headers })
  const body = bytesOf(answer.body)
  const init = { status, headers: { ...headers, 'content-length': String(body.byteLength) } }
  if (method === 'HEAD') return new Response(null, init)
  const stream =
    delivery.kind === 'drip'
      ? dripping(body, delivery, signal, clock)
      : breakingOff(firstBytes(body, delivery.bytes), delivery.kind, signal)
  return new Response(stream, init)
}

function without(kind: 'reset' | 'close' | 'hang', signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (kind === 'reset') reject(fetchError('fetch failed', 'read ECONNRESET', 'ECONNRESET'))
    else if (kind === 'close') reject(fetchError('fetch failed', 'other side closed', 'UND_ERR_SOCKET'))
    else onAbort(signal, () => reject(signal.reason))
  })
}

function breakingOff(first: Uint8Array, kind: 'stall' | 'truncate', signal: AbortSignal): ReadableStream<Uint8Array> {
  let forget = () => {}
  let isGiven = first.byteLength === 0
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        forget = onAbort(signal, () => controller.error(signal.reason))
      },
      async pull(controller) {
        if (!isGiven) {
          isGiven = true
          controller.enqueue(first)
        } else if (kind === 'stall') {
          // Ends when the stream is cancelled or the signal aborted, and never by itself.
          await new Promise<never>(() => {})
        } else {
          forget()
          controller.error(fetchError('terminated', 'other side closed', 'UND_ERR_SOCKET'))
        }
      },
      cancel: () => forget(),
    },
    // An error drops what nobody has read yet, so nothing is made ready in advance.
    { highWaterMark: 0 },
  )
}

function dripping(
  body: Uint8Array,
  delivery: Extract<DeliveryFault, { kind: 'drip' }>,
  signal: AbortSignal,
  clock: Clock,
): ReadableStream<Uint8Array> {
  let stop = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let cancel = () => {}
      const forget = onAbort(signal, () => {
        cancel()
        controller.error(signal.reason)
      })
      stop = () => {
        cancel()
        forget()
      }
      cancel = drip(body, delivery, clock, (piece, isLast) => {
        controller.enqueue(piece)
        if (!isLast) return
        forget()
        controller.close()
      })
    },
    cancel: () => stop(),
  })
}

/** Calls back when the signal is aborted; gives a function that takes it back. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  signal.addEventListener('abort', callback, { once: true })
  return () => signal.removeEventListener('abort', callback)
}

function fetchError(message: string, why: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(why), { code }) })
}

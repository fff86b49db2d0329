import { type Ambiguities, errorBody } from './ambiguities/index.js'
import { Refusal } from './refusal.js'
import type { Surface } from './types.js'

/** A request from one of the edges: a `Request`, or bytes of a socket. */
export interface IncomingRequest {
  /** Which edge took it. */
  readonly edge: 'fetch' | 'http'
  readonly method: string
  /** The scheme of its URL. */
  readonly scheme: 'http' | 'https'
  readonly surface: Surface
  /** Below the base URL of the surface, percent-encoded as sent. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | null
  /** A copy of all headers, by their lower-case names. */
  headers(): Record<string, string>
  /** The whole body. Rejects with a 413 as soon as it is over `limit` bytes, or with `ClientClosedRequest`. */
  readBody(limit: number): Promise<Uint8Array>
  /** Created on first use. */
  readonly signal: AbortSignal
  /** The edge's refusal of the `Host` or `Origin`. */
  readonly rejection?: Refusal | undefined
}

/** The origin under which a request was sent; undefined if its `Host` is missing, or is invalid in a URL. */
export function originOf({ scheme, header }: Pick<IncomingRequest, 'scheme' | 'header'>): string | undefined {
  const host = header('host')
  // A Host that is valid in a header may be invalid in a URL: empty, or with a port over 65535.
  return host !== null && URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : undefined
}

/** A response before it is sent. The edge leaves the body out for HEAD. */
export interface OutgoingResponse {
  readonly status: number
  /** Lower-case names, without Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly delivery?: DeliveryFault
}

/**
 * How a response fails to arrive. Counts are bytes of the body. `reset`: the connection is reset before a byte is sent.
 * `close`: it ends without a response. `hang`: nothing is sent until the client closes. `stall`: headers and the first bytes,
 * then nothing more. `drip`: `bytes` at a time. `truncate`: the full Content-Length, the first bytes, then the connection ends.
 */
export type DeliveryFault =
  | { readonly kind: 'reset' | 'close' | 'hang' }
  | { readonly kind: 'stall' | 'truncate'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }

/** Answer a request; never rejects. */
export type Handler = (request: IncomingRequest) => Promise<OutgoingResponse>

/** The client closed the connection or aborted: status 499 in the journal. */
export class ClientClosedRequest extends Error {
  override readonly name = 'ClientClosedRequest'

  constructor(message = 'The client closed the request.', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Wait for a promise. Throws `ClientClosedRequest` as soon as the signal is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ClientClosedRequest(undefined, { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The response to an error. An error that is no refusal goes to `onError`, and the client sees a plain 500. */
export function errorResponse(
  surface: Surface,
  error: unknown,
  onError: (error: unknown) => void,
  form?: Ambiguities['errorBody'],
): OutgoingResponse {
  if (error instanceof ClientClosedRequest) return { status: 499, headers: {}, body: '' }
  if (error instanceof Refusal) return refusalResponse(surface, error, form)
  onError(error)
  return internalError(surface, form)
}

/** A refusal, by default in the error envelope of the surface. */
export function refusalResponse(
  surface: Surface,
  refusal: Refusal,
  form: Ambiguities['errorBody'] = 'envelope',
): OutgoingResponse {
  const [type, body] = errorBody(surface, refusal, form)
  return { status: refusal.status, headers: { ...refusal.headers, 'content-type': type }, body }
}

export const internalError = (surface: Surface, form?: Ambiguities['errorBody']): OutgoingResponse =>
  refusalResponse(surface, new Refusal(500, 'The server failed.'), form)

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The first `count` bytes of a body, never all of them. */
export const firstBytes = (body: Uint8Array, count: number): Uint8Array =>
  body.subarray(0, Math.max(0, Math.min(count, body.byteLength - 1)))

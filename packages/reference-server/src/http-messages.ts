import { after, type Clock } from './clock.js'
import { envelope, Refusal } from './refusal.js'
import type { Surface } from './types.js'

/** A request as an edge hands it over, whether it came as a Request or from a socket. */
export interface IncomingRequest {
  readonly method: string
  readonly surface: Surface
  /** Below the base URL of the surface, percent-encoded as it came. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** A header by its lower-case name. */
  header(name: string): string | null
  /** The whole body; refuses with 413 once it is over `limit` bytes, and throws `CallerGone`. */
  readBody(limit: number): Promise<Uint8Array>
  /** Made when it is first asked for. */
  readonly signal: AbortSignal
  /** Why the edge refuses it before all else: a foreign `Host` or `Origin`. */
  readonly rejection?: Refusal | undefined
}

/** An answer as an edge writes it: a text, or none. The edge leaves it out for HEAD. */
export interface OutgoingResponse {
  readonly status: number
  /** Lower-case names; without Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What goes wrong on its way. Default: nothing. */
  readonly delivery?: DeliveryFault
}

/**
 * How an answer fails to arrive; the operation has run, or not, before. Counts are bytes of the body. `reset`: the
 * connection is reset, nothing was sent. `close`: it ends without an answer. `hang`: nothing is sent until the caller goes.
 * `stall`: the head and the first bytes, then nothing more. `drip`: so many bytes at a time. `truncate`: the whole length is
 * declared, the first bytes come, and the connection ends.
 */
export type DeliveryFault =
  | { readonly kind: 'reset' | 'close' | 'hang' }
  | { readonly kind: 'stall' | 'truncate'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }

/** The caller went away; there is nobody to answer. */
export class ClientClosedRequest extends Error {
  override readonly name = 'CallerGone'
}

/** Waits for work, or throws `CallerGone` as soon as the signal is aborted; the work is then not waited for. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ClientClosedRequest('The caller went away.', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Answers a call; never rejects. */
export type Handler = (call: IncomingRequest) => Promise<OutgoingResponse>

/** A text as the bytes that are sent. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The bytes of a body that come before it breaks off: at most `count`, and never all of them. */
export function firstBytes(body: Uint8Array, count: number): Uint8Array {
  return body.subarray(0, Math.max(0, Math.min(count, body.byteLength - 1)))
}

/** Gives a body away, `bytes` at a time and the first at once; gives a function that stops it. */
export function drip(
  body: Uint8Array,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
  clock: Clock,
  give: (piece: Uint8Array, isLast: boolean) => void,
): () => void {
  const step = Math.max(1, Math.floor(bytes))
  let cancel = () => {}
  const next = (at: number) => {
    const end = at + step
    const isLast = end >= body.byteLength
    if (!isLast) cancel = after(clock, everyMs, () => next(end))
    give(body.subarray(at, end), isLast)
  }
  next(0)
  return () => cancel()
}

/** A refusal as an answer, in the envelope of the surface. */
export function refusalResponse(surface: Surface, refusal: Refusal): OutgoingResponse {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': 'application/json' },
    body: JSON.stringify(envelope(surface, refusal)),
  }
}

/** What is answered where something went wrong that is not the caller's affair. */
export const internalError = (surface: Surface): OutgoingResponse =>
  refusalResponse(surface, new Refusal(500, 'The server failed.'))

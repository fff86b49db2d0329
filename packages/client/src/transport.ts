/** The signature of the web's `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Any function that can be called as the web's `fetch(url, init)`, such as those of undici and node-fetch. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The second argument of `fetch`, as plain values. */
export interface FetchInit {
  /** HTTP method. */
  method: string
  /** Names are in lower case. */
  headers: Record<string, string>
  /** JSON, or the bytes of it; null without a body. */
  body: string | Bytes | null
  /** Redirects are not followed, because the key belongs to the base URL. */
  redirect: 'manual'
  /** Set if the answer must not come from a cache. */
  cache?: 'no-store'
  /** Aborts when the attempt ends early. */
  signal: AbortSignal
}

/** The part of a `Response` that the client reads. */
export interface FetchResponse {
  /** HTTP status. */
  status: number
  /** Text of the status; may be empty. */
  statusText: string
  /** Pairs of name and value, names in lower case. */
  headers: Iterable<[string, string]>
  /** A stream of the web, an async iterable of bytes such as a stream of Node, or null. */
  body: unknown
}

/** A `Uint8Array` that also compiles under TypeScript before 5.7. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A request as plain values. */
export interface TransportRequest extends FetchInit {
  url: string
  /** The purpose of the request: the method of the client, the path with its names in braces, and the attempt, from 1. */
  call?: { operation: string; template: string; attempt: number } | undefined
}

/** The answer of a transport. */
export interface TransportResponse {
  status: number
  statusText: string
  /** Names are in lower case. */
  headers: Iterable<[string, string]>
  body: { getReader(): BodyReader } | null
}

/** The part of a `ReadableStream` reader that the client uses. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Sends requests without following redirects. On abort, rejects at once and frees the connection. */
export interface Transport {
  /** Send a request given as plain values. */
  send(request: TransportRequest): Promise<TransportResponse>
}

/** A transport over a `fetch`, which is called without `this`. */
export const transportOf = (fetch: FetchLike): Transport => ({
  send: (request) => Promise.resolve(fetch(request.url, initOf(request))).then(withReader),
})

/** Looks `fetch` up at each call, so that tools which replace it later see the requests. */
export const runtimeTransport: Transport = transportOf((url, init) => globalThis.fetch(url, init))

/** The values of a request. Reads its body without `body`, which Firefox lacks. */
export async function valuesOf(...[input, init]: Parameters<Fetch>): Promise<TransportRequest> {
  // A Request as it is: Node loses an abort on its way to a copy.
  const request = input instanceof Request && init === undefined ? input : new Request(input, init)
  const { url, method, signal } = request
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = bytes.length > 0 ? bytes : null
  return { url, method, headers: Object.fromEntries(request.headers), body, redirect: 'manual', signal }
}

/** Older Workers throw for `cache`, and have no cache. */
const initOf = ({ method, headers, body, redirect, cache, signal }: TransportRequest): FetchInit => ({
  method,
  headers,
  body,
  redirect,
  signal,
  ...(cache && 'cache' in Object(globalThis.Request?.prototype) && { cache }),
})

/** The body of node-fetch is a stream of Node, which has no reader. */
function withReader(response: FetchResponse): TransportResponse {
  if (typeof response?.status !== 'number') throw new TypeError(`fetch resolved to ${response}, not to a Response.`)
  const { body } = response
  if (!body || typeof body !== 'object' || 'getReader' in body || !(Symbol.asyncIterator in body))
    return response as TransportResponse
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const { status, statusText, headers } = response
  const reader: BodyReader = {
    read: () => chunks.next() as ReturnType<BodyReader['read']>,
    cancel: async () => void (await chunks.return?.()),
  }
  return { status, statusText, headers, body: { getReader: () => reader } }
}

export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  for (const [each, value] of headers) if (each === name) return value
  return undefined
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)

/** Not `*.localhost`, which a resolver may send elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

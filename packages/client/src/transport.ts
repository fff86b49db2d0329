/** A function with the signature of the web's `fetch`. The client calls it as `fetch(url, init)`, with a text as URL. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** A `Uint8Array` that also compiles under TypeScript before 5.7. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A request as plain values. */
export interface TransportRequest {
  url: string
  method: string
  /** Names are in lower case. */
  headers: Record<string, string>
  body: string | Bytes | null
  redirect: 'manual'
  /** Set if the answer must not come from a cache. */
  cache?: 'no-store' | undefined
  /** Aborts when the attempt ends early. */
  signal: AbortSignal
  /** The purpose of the request: the method of the client, the path with its names in braces, and the attempt, from 1. */
  call?: { operation: string; template: string; attempt: number } | undefined
}

/** The part of a `Response` that the client reads. */
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
  /** Send a request as the web's `fetch` does, for `svc.wires`. */
  fetch: Fetch
}

/** A transport over a `fetch`, which is called without `this`. */
export const transportOf = (fetch: Fetch): Transport => ({
  send: (request) => Promise.resolve(fetch(request.url, initOf(request))).then(withReader),
  fetch: (input, init) => fetch(input, init),
})

/** Looks `fetch` up at each call, so that tools which replace it later see the requests. */
export const runtimeTransport: Transport = transportOf((input, init) => globalThis.fetch(input, init))

/** Older Workers throw for `cache`, and have no cache. */
const initOf = ({ method, headers, body, redirect, cache, signal }: TransportRequest): RequestInit => ({
  method,
  headers,
  body,
  redirect,
  signal,
  ...(cache && 'cache' in Object(globalThis.Request?.prototype) && { cache }),
})

/** The body of node-fetch is a stream of Node, which has no reader. */
function withReader(response: Response): TransportResponse {
  if (typeof response?.status !== 'number') throw new TypeError(`fetch resolved to ${response}, not to a Response.`)
  const { body } = response as { body: unknown }
  if (!body || typeof body !== 'object' || 'getReader' in body || !(Symbol.asyncIterator in body)) return response
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const { status, statusText, headers } = response
  const reader: BodyReader = {
    read: () => chunks.next() as ReturnType<BodyReader['read']>,
    cancel: async () => void (await chunks.return?.()),
  }
  return { status, statusText, headers, body: { getReader: () => reader } }
}

/** `name` is in lower case. */
export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  for (const [each, value] of headers) if (each === name) return value
  return undefined
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

/** The request id, from the service or its proxy. */
export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)

/** Not `*.localhost`, which a resolver may send elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

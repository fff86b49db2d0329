import { connectionInputError, inputError } from './errors/index.js'

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
  /** Pairs of name and value. */
  headers: Iterable<[string, string]>
  /** A stream of the web, an async iterable of bytes such as a stream of Node, or null; undefined in React Native. */
  body?: unknown
  /** Gives the body as text where `body` is undefined. */
  text?(): Promise<string>
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
  /** Gives the body where `body` is null because the runtime has no streams. */
  text?: (() => Promise<string>) | undefined
}

/** The part of a `ReadableStream` reader that the client uses. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/**
 * Sends requests without following redirects. On abort, rejects at once and frees the connection. An error with
 * `phase: 'connecting'` says that no connection was established, with its TLS handshake, so that nothing was sent.
 */
export interface Transport {
  /** Send a request given as plain values. */
  send(request: TransportRequest): Promise<TransportResponse>
}

/** A transport over a `fetch`, which is called without `this`. */
export const transportOf = (fetch: FetchLike): Transport => ({
  send: (request) => {
    refuseBlockedPort(request)
    return Promise.resolve(fetch(request.url, initOf(request))).then(responseOf)
  },
})

/** Looks `fetch` up at each call, so that tools which replace it later see the requests. */
export const runtimeTransport: Transport = transportOf((url, init) => {
  if (typeof globalThis.fetch === 'function') return globalThis.fetch(url, init)
  throw inputError('createClient', 'no global fetch; pass fetch or transport')
})

/**
 * The ports that the Fetch standard blocks, whatever the scheme (section "Port blocking"), each as the step from the one
 * before, which is short in a bundle.
 */
const blockedPortSteps =
  '0 1 6 2 2 2 2 2 2 1 1 1 1 2 12 5 1 10 16 8 2 8 8 6 1 1 1 5 1 1 2 2 2 2 4 12 2 2 4 18 18 210 38 38 47 1 1 1 11 4 1 1 8 8 6 2 7 24 14 35 353 1 3 2 724 1 3 326 1610 386 145 870 1 939 566 99 1 1 1 1 10 18 3383'

function refuseBlockedPort({ url, call }: TransportRequest): void {
  const { port } = new URL(url)
  let blocked = 0
  const isBlocked = (step: string) => {
    blocked += Number(step)
    return Number(port) === blocked
  }
  if (!port || !blockedPortSteps.split(' ').some(isBlocked)) return
  const advice = 'use another port, or nodeTransport() from @svc/client/node'
  throw connectionInputError('invalid_base_url', call?.operation ?? fetchResult, `fetch blocks port ${port}`, advice)
}

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
const initOf = ({ url: _, call, cache, ...init }: TransportRequest): FetchInit =>
  cache && 'cache' in Object(globalThis.Request?.prototype) ? { ...init, cache } : init

/** The operation of an InputError for what `fetch` resolved to: the request may have been sent. */
export const fetchResult = 'fetch'

/** A mock in a test may lack nearly everything. */
interface AnyResponse extends Partial<FetchResponse> {
  bodyUsed?: unknown
  json?(): Promise<unknown>
}

/** The response as the client reads it, also that of node-fetch, of React Native, or of a mock. */
function responseOf(response: AnyResponse): TransportResponse {
  if (typeof response?.status !== 'number' || response.bodyUsed === true) {
    throw inputError(fetchResult, 'expected a function that resolves to a new Response')
  }
  const { status, statusText = '', headers, body } = response
  const received = bodyOf(response)
  if (headers && 'get' in headers && received.body === body) return response as TransportResponse
  return { status, statusText, headers: new Headers((headers ?? {}) as HeadersInit), ...received }
}

function bodyOf(response: AnyResponse): Pick<TransportResponse, 'body' | 'text'> {
  const { body } = response
  if (typeof body === 'object' && body !== null) {
    if ('getReader' in body) return { body: body as TransportResponse['body'] }
    if (Symbol.asyncIterator in body) return { body: { getReader: () => readerOf(body as AsyncIterable<Uint8Array>) } }
  }
  const text = async () => (response.text ? response.text() : (JSON.stringify(await response.json?.()) ?? ''))
  return { body: null, text }
}

function readerOf(body: AsyncIterable<Uint8Array>): BodyReader {
  const chunks = body[Symbol.asyncIterator]()
  return {
    read: () => chunks.next() as ReturnType<BodyReader['read']>,
    cancel: async () => void (await chunks.return?.()),
  }
}

export const headerOf = ({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined =>
  [...headers].find(([each]) => each === name)?.[1]

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)

/** Not `*.localhost`, which a resolver may send elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

import { connectionInputError, InputError } from './errors/index.js'

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

/** Sends requests without following redirects. On abort, rejects at once and frees the connection. */
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
  const { fetch } = globalThis as { fetch?: FetchLike }
  if (fetch) return fetch(url, init)
  const message = 'createClient: this runtime has no fetch; pass fetch or transport.'
  throw new InputError('invalid_input', message, 'createClient')
})

/** The ports that the Fetch standard blocks, whatever the scheme (section "Port blocking"). */
const blockedPorts =
  /^(0|1|7|9|11|13|15|17|19|20|21|22|23|25|37|42|43|53|69|77|79|87|95|101|102|103|104|109|110|111|113|115|117|119|123|135|137|139|143|161|179|389|427|465|512|513|514|515|526|530|531|532|540|548|554|556|563|587|601|636|989|990|993|995|1719|1720|1723|2049|3659|4045|4190|5060|5061|6000|6566|6665|6666|6667|6668|6669|6679|6697|10080)$/

function refuseBlockedPort({ url, call }: TransportRequest): void {
  const { port } = new URL(url)
  if (!blockedPorts.test(port)) return
  const operation = call?.operation ?? 'fetch'
  const advice = 'use another port, or transport: nodeTransport() from @svc/client/node'
  throw connectionInputError('invalid_base_url', operation, `fetch blocks port ${port}`, { advice })
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
const initOf = ({ method, headers, body, redirect, cache, signal }: TransportRequest): FetchInit => ({
  method,
  headers,
  body,
  redirect,
  signal,
  ...(cache && 'cache' in Object(globalThis.Request?.prototype) && { cache }),
})

/** The operation of an InputError for what `fetch` resolved to: the request may have been sent. */
export const fetchResult = 'fetch'

const notAResponse = (actual: string) =>
  new InputError('invalid_input', `fetch: expected a function that resolves to a Response, got ${actual}.`, fetchResult)

/** A mock in a test may lack nearly everything. */
interface AnyResponse extends Partial<FetchResponse> {
  bodyUsed?: unknown
  json?(): Promise<unknown>
}

/** The response as the client reads it, also that of node-fetch, of React Native, or of a mock. */
function responseOf(response: AnyResponse): TransportResponse {
  if (typeof response?.status !== 'number') throw notAResponse(response === null ? 'null' : typeof response)
  if (response.bodyUsed === true) throw notAResponse('one whose body was read already')
  const { status, statusText = '', body } = response
  const headers = response.headers ?? []
  const isStream = typeof body === 'object' && body !== null && 'getReader' in body
  if ('get' in headers && (isStream || body === null)) return response as TransportResponse
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries<string>(headers)
  const lowered = pairs.map(([name, value]): [string, string] => [name.toLowerCase(), String(value)])
  return { status, statusText, headers: lowered, ...bodyOf(response) }
}

function bodyOf(response: AnyResponse): Pick<TransportResponse, 'body' | 'text'> {
  const { body } = response
  if (typeof body === 'object' && body !== null) {
    if ('getReader' in body) return { body: body as TransportResponse['body'] }
    if (Symbol.asyncIterator in body) return { body: { getReader: () => readerOf(body as AsyncIterable<Uint8Array>) } }
  }
  if (!response.text && !response.json) return { body: null }
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

export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  for (const [each, value] of headers) if (each === name) return value
  return undefined
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)

/** Not `*.localhost`, which a resolver may send elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

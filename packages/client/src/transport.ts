/** A `fetch` that takes a Request. The client sets `redirect: 'manual'`. */
export type Fetch = (request: Request) => Promise<Response>

/** A `Uint8Array` that also compiles under TypeScript before 5.7. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A request as plain values, also valid as `fetch(url, init)`. */
export interface TransportRequest {
  url: string
  method: string
  /** Names are in lower case. */
  headers: Record<string, string>
  body: string | Bytes | null
  redirect: 'manual'
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
  /** Send a `Request`, for `svc.wires`. */
  fetch: Fetch
}

/** Looks `fetch` up at each call, so that tools which replace it later see the requests. */
export const runtimeTransport: Transport = {
  send: (request) => globalThis.fetch(request.url, request),
  fetch: (request) => globalThis.fetch(request),
}

export const transportOf = (fetch: Fetch): Transport => ({
  send: (request) => fetch(new Request(request.url, request)),
  fetch,
})

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

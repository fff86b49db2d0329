/** Sends a request and gives its answer, with the web's own types. Its redirects are `manual`. */
export type Fetch = (request: Request) => Promise<Response>

/** Bytes that a body may be, under TypeScript before 5.7 too, where `Uint8Array` takes no parameter. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A request as plain values, which `fetch(url, init)` takes as they are. */
export interface TransportRequest {
  url: string
  method: string
  /** Names are in lower case. */
  headers: Record<string, string>
  body: string | Bytes | null
  redirect: 'manual'
  /** Aborts when the attempt ends early. */
  signal: AbortSignal
}

/** The parts of an answer that the client reads; a `Response` has them. */
export interface TransportResponse {
  status: number
  statusText: string
  /** Names are in lower case. */
  headers: Iterable<[string, string]>
  body: { getReader(): BodyReader } | null
}

/** Reads a body chunk by chunk; the reader of a `ReadableStream` is one. */
export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/**
 * Sends requests without following redirects. Rejects at once, and frees the connection, when the signal of a request
 * aborts.
 */
export interface Transport {
  /** Sends a request given as plain values. */
  send(request: TransportRequest): Promise<TransportResponse>
  /** Sends a `Request`, for `svc.wires`. */
  fetch: Fetch
}

/** The runtime's own fetch, looked up at each call, so that tools which replace it later see the requests. */
export const runtimeTransport: Transport = {
  send: (request) => globalThis.fetch(request.url, request),
  fetch: (request) => globalThis.fetch(request),
}

/** A Fetch of the caller's own, which takes real Requests. */
export const transportOf = (fetch: Fetch): Transport => ({
  send: (request) => fetch(new Request(request.url, request)),
  fetch,
})

/** The value of a header, given its name in lower case. */
export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  for (const [each, value] of headers) if (each === name) return value
  return undefined
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

/** The id under which the service, or what stands before it, knows the request. */
export const requestIdOf = (response: TransportResponse): string | undefined =>
  requestIdHeaders.map((name) => headerOf(response, name)).find(Boolean)

/** Literal loopback addresses and `localhost`; a resolver may send `*.localhost` elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

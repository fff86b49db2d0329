/**
 * Whatever stands between a typed call and the socket. Gets a Request whose redirects are `manual`, and whose signal
 * aborts when the attempt is to end.
 */
export type Fetch = (request: Request) => Promise<Response>

/** Bytes that a body may be, under TypeScript before 5.7 too, where `Uint8Array` takes no parameter. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A request as values: what an attempt sends, in the shape that `fetch(url, init)` takes. */
export class LightRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string | Bytes | null
  readonly redirect = 'manual'
  /** Called by `stop`: for a transport that needs no signal to be told. */
  onstop: (() => void) | undefined
  /** The signal that it was made with. */
  readonly given: AbortSignal | undefined
  #stopped: { reason: unknown } | undefined
  #controller: AbortController | undefined

  constructor(
    url: string,
    init: Pick<LightRequest, 'method' | 'headers'> & { body?: string | Bytes | null; signal?: AbortSignal | null },
  ) {
    this.url = url
    this.method = init.method
    this.headers = init.headers
    this.body = init.body ?? null
    this.given = init.signal ?? undefined
  }

  /** Aborts when the request is to end; made for who asks for it, because many never do. */
  get signal(): AbortSignal {
    if (this.given) return this.given
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort(this.#stopped.reason)
    return this.#controller.signal
  }

  get stopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Ends the request, wherever it is. */
  stop(reason: unknown): void {
    this.#stopped = { reason }
    this.#controller?.abort(reason)
    this.onstop?.()
  }
}

/** What an attempt asks of an answer: a `Response` is one, and so is less. */
export interface LightResponse {
  status: number
  statusText: string
  ok: boolean
  headers: { get(name: string): string | null; entries(): Iterable<[string, string]> }
  body: { getReader(): BodyReader } | null
  /** A `Response` of the same answer, unread, where this is none itself. */
  toResponse?(): Response
}

export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Literal loopback addresses and `localhost`; a resolver may send `*.localhost` elsewhere. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)

/** Whether a request is light. Not by identity: an application may hold this package twice, as ESM and as CommonJS. */
export const isLight = (request: LightRequest | Request): request is LightRequest => !('clone' in request)

/** Sends requests, without following redirects; rejects at once, and frees the connection, when their signal aborts. */
export interface Transport {
  /** Takes a request as values, or a real one from a wire; gives what of a `Response` an attempt needs. */
  fetch(request: LightRequest | Request): Promise<LightResponse>
}

/**
 * The runtime's own fetch, looked up at each call, so that tools which replace it later are seen. It builds a Request
 * of its own from what it is given, so none is built before it.
 */
export const runtimeTransport: Transport = {
  fetch: (request) => (isLight(request) ? globalThis.fetch(request.url, request) : globalThis.fetch(request)),
}

/** A Fetch of the caller's own, which takes real Requests. */
export const transportOf = (fetch: Fetch): Transport => ({
  fetch: (request) => fetch(isLight(request) ? new Request(request.url, request) : request),
})

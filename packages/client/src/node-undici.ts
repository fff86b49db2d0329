import type { Socket } from 'node:net'
import type { Dispatcher, Pool } from 'undici'
import { InputError } from './errors.js'
import type { BodyReader, LightRequest } from './fetch.js'
import type { Proxies } from './node-proxy.js'
import { acceptEncoding, decoded, type NodeResponse, unconnected } from './node-response.js'

/** What sends over undici. */
export interface UndiciFetch {
  fetch(request: LightRequest): Promise<NodeResponse>
  close(): Promise<void>
}

export interface UndiciOptions {
  connectTimeoutMs: number
  /** How long an idle connection is kept, in milliseconds; 0 where none is. */
  idleMs: number
}

/** What of a dispatcher is used. */
interface Sender {
  dispatch(options: Dispatcher.DispatchOptions & { origin: string }, handler: Dispatcher.DispatchHandler): boolean
  close(): Promise<void>
}

/** Requests that wait for a connection, and connections that are being made. */
interface Awaited {
  requests: number
  sockets: Set<Socket>
}

/** Sends through the proxies, which only undici knows. Rejects with an InputError where that is not installed. */
export async function proxyFetchOf(proxies: Proxies, options: UndiciOptions): Promise<UndiciFetch> {
  const { EnvHttpProxyAgent, Pool } = await undici().catch((cause: unknown) => {
    const message =
      'nodeTransport: HTTP_PROXY or HTTPS_PROXY is set, which needs undici; install it (npm install undici).'
    throw new InputError('missing_package', message, 'nodeTransport', [], cause)
  })
  class ProxyPool extends Pool {
    override connect: Pool['connect'] = (options: Dispatcher.ConnectOptions) =>
      super.connect(options).catch(closedByProxy)
  }
  const agent = new EnvHttpProxyAgent({
    clientFactory: (origin, poolOptions) => new ProxyPool(origin, poolOptions),
    httpProxy: proxies['http:'],
    httpsProxy: proxies['https:'],
    // What it names does not come here; without a text undici would read the environment.
    noProxy: '',
    // As proxies expect it: a tunnel for https, the whole URL for http.
    proxyTunnel: false,
    ...agentOptions(options),
  })
  return over(agent, undefined, proxies)
}

/** Sends to the server itself, over so many connections at most; undefined where undici is not installed. */
export async function pooledFetchOf(connections: number, options: UndiciOptions): Promise<UndiciFetch | undefined> {
  const found = await undici().catch(() => undefined)
  if (!found) return undefined
  const connect = found.buildConnector({ timeout: options.connectTimeoutMs })
  const awaited: Awaited = { requests: 0, sockets: new Set() }
  const settings: Pool.Options = {
    ...agentOptions(options),
    connections,
    connect(where, done) {
      const told: typeof done = (...outcome) => {
        awaited.sockets.delete(socket)
        done(...outcome)
      }
      // The types leave out what it gives.
      const socket = (connect as unknown as (...given: [typeof where, typeof done]) => Socket)(where, told)
      awaited.sockets.add(socket)
    },
  }
  // An Agent would keep them, too, at the cost of an event for each request.
  const pools = new Map<string, Pool>()
  const poolOf = (origin: string): Pool => {
    const pool = pools.get(origin) ?? new found.Pool(origin, settings)
    pools.set(origin, pool)
    return pool
  }
  const close = async () => void (await Promise.all([...pools.values()].map((pool) => pool.close())))
  return over({ dispatch: (sent, handler) => poolOf(sent.origin).dispatch(sent, handler), close }, awaited)
}

// As the default: a bundler that splits its output gives no other name of a CommonJS module.
const undici = async () =>
  (await import('undici')).default as unknown as Pick<
    typeof import('undici'),
    'EnvHttpProxyAgent' | 'Pool' | 'buildConnector'
  >

const agentOptions = ({ connectTimeoutMs, idleMs }: UndiciOptions) => ({
  connectTimeout: connectTimeoutMs,
  pipelining: idleMs > 0 ? 1 : 0,
  keepAliveTimeout: Math.max(1, idleMs),
  keepAliveMaxTimeout: Math.max(1, idleMs),
  headersTimeout: 0,
  bodyTimeout: 0,
})

/**
 * Above so many bytes a body may be answered before it is read. undici would then use its connection for the next request,
 * which waits for ever behind the rest of it.
 */
export const largestKept = 1 << 18

const over = (
  dispatcher: Sender,
  awaited: Awaited = { requests: 0, sockets: new Set() },
  proxies?: Proxies,
): UndiciFetch => ({
  fetch: (request) =>
    new Promise((resolve, reject) => {
      const { url, method, headers, body, given } = request
      given?.throwIfAborted()
      if (request.stopped) throw request.signal.reason
      const slash = url.indexOf('/', 'https://'.length)
      const [origin, path] = slash < 0 ? [url, '/'] : [url.slice(0, slash), url.slice(slash)]
      const sent: Record<string, string> = { 'accept-encoding': acceptEncoding }
      for (const [name, value] of headers) sent[name] = value
      const reset = (body?.length ?? 0) > largestKept
      const options = { origin, path, method: method as Dispatcher.HttpMethod, headers: sent, body, reset }
      const proxy = proxies?.[origin.startsWith('https:') ? 'https:' : 'http:']
      dispatcher.dispatch(options, new Incoming(request, awaited, proxy, resolve, reject))
    }),
  close: () => dispatcher.close(),
})

/** So many chunks wait for their reader before the server is made to wait. */
const mostWaiting = 16

/** One answer as it comes, read chunk by chunk: undici's own stream of it takes as long as everything else of a call. */
class Incoming implements Dispatcher.DispatchHandler, BodyReader {
  readonly #request: LightRequest
  readonly #awaited: Awaited
  readonly #proxy: string | undefined
  readonly #resolve: (response: NodeResponse | Promise<NodeResponse>) => void
  readonly #reject: (error: unknown) => void
  readonly #chunks: Uint8Array[] = []
  #controller: Dispatcher.DispatchController | undefined
  #end: { error?: unknown } | undefined
  /** Told once, of a chunk or of the end. */
  #wake: (() => void) | undefined

  constructor(
    request: LightRequest,
    awaited: Awaited,
    proxy: string | undefined,
    resolve: (response: NodeResponse | Promise<NodeResponse>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request
    this.#awaited = awaited
    awaited.requests++
    this.#proxy = proxy
    this.#resolve = resolve
    this.#reject = reject
    request.onstop = this.#stop
    request.given?.addEventListener('abort', this.#stop, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#end) return controller.abort(this.#end.error as Error)
    // It may be begun once more, where its connection was closed before.
    if (!this.#controller) this.#awaited.requests--
    this.#controller = controller
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    text = '',
  ): void {
    if (status >= 200) this.#resolve(decoded(status, text, headers, this))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    if (this.#chunks.length > mostWaiting) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#over({})
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const known = this.#controller ? error : unconnected(error)
    this.#over({ error: this.#proxy ? throughProxy(known, this.#proxy) : known })
  }

  async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    if (this.#chunks.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const value = this.#chunks.shift()
    if (this.#controller?.paused) this.#controller.resume()
    if (value) return { done: false, value }
    if (this.#end && 'error' in this.#end) throw this.#end.error
    return { done: true }
  }

  async cancel(): Promise<void> {
    if (!this.#end) this.#break(new Error('The answer is not wanted any more.'))
  }

  readonly #stop = (): void => this.#break(this.#request.signal.reason)

  #break(error: unknown): void {
    this.#over({ error })
    this.#controller?.abort(error as Error)
  }

  /** A connection that nobody waits for any more would be attempted until its time is over. */
  #abandon(): void {
    for (const socket of this.#awaited.sockets) socket.destroy(new Error('Nobody waits for this connection.'))
  }

  #over(end: { error?: unknown }): void {
    if (this.#end) return
    this.#end = end
    if (!this.#controller && --this.#awaited.requests === 0) this.#abandon()
    this.#request.given?.removeEventListener('abort', this.#stop)
    if ('error' in end) this.#reject(end.error)
    this.#wake?.()
  }
}

/** A proxy closed the connection without an answer. undici would open another one at once, again and again. */
function closedByProxy(error: Error & { code?: string }): never {
  const isClosed = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET'
  throw isClosed ? new Error('Proxy closed the connection.') : error
}

/** Names the proxy of a request in its error, without the login, and tells the proxy's own refusal apart. */
function throughProxy(error: Error, proxy: string): Error {
  const { protocol, host } = new URL(proxy)
  // undici takes a refusal for an abort or a bad argument; it means a server that was never reached.
  const refusal = /^Proxy .*?(\d{3}|closed)/.exec(error.message)?.[1]
  if (refusal === undefined) return Object.assign(error, { proxy: `${protocol}//${host}` })
  const did = refusal === 'closed' ? 'closed the connection' : `answered ${refusal}`
  return Object.assign(new Error(error.message), {
    code: 'ERR_PROXY_REFUSED',
    proxy: `${protocol}//${host}, which ${did}`,
  })
}

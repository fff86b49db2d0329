import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import { InputError } from '../errors/index.js'
import type { TransportRequest, TransportResponse } from '../transport.js'
import type { Proxies } from './proxy.js'
import { acceptEncoding, responseOf, unconnected } from './response.js'

/** A way to send over undici. */
export interface UndiciSender {
  send(request: TransportRequest): Promise<TransportResponse>
  close(): Promise<void>
}

export interface UndiciOptions {
  connectTimeoutMs: number
  /** How long an idle connection is kept, in milliseconds; 0 where none is. */
  idleMs: number
}

/** Sends through the proxies, which only undici knows. Rejects with an InputError where that is not installed. */
export async function proxySender(proxies: Proxies, options: UndiciOptions): Promise<UndiciSender> {
  const library = await undici().catch((cause: unknown) => {
    const message =
      'nodeTransport: HTTP_PROXY or HTTPS_PROXY is set, which needs undici; install it (npm install undici).'
    throw new InputError('missing_package', message, 'nodeTransport', [], cause)
  })
  class ProxyPool extends library.Pool {
    override connect: Pool['connect'] = (options: Dispatcher.ConnectOptions) =>
      super.connect(options).catch(closedByProxy)
  }
  const agent = new library.EnvHttpProxyAgent({
    clientFactory: (origin, poolOptions) => new ProxyPool(origin, poolOptions),
    factory: (origin, poolOptions: Pool.Options) => {
      const connect = poolOptions.connect as buildConnector.connector
      return new library.Pool(origin, { ...poolOptions, connect: namingHandshakes(connect) })
    },
    httpProxy: proxies['http:'],
    httpsProxy: proxies['https:'],
    // What it names does not come here; without a text undici would read the environment.
    noProxy: '',
    // As proxies expect it: a tunnel for https, the whole URL for http.
    proxyTunnel: false,
    ...agentOptions(options),
  })
  return {
    send: (request) =>
      send(library, agent, request).catch((error: Error) => {
        if (request.signal.aborted) throw error
        throw throughProxy(error, proxies[request.url.startsWith('https:') ? 'https:' : 'http:'])
      }),
    close: () => agent.close(),
  }
}

/** Sends to the server itself, over so many connections at most; undefined where undici is not installed. */
export async function pooledSender(connections: number, options: UndiciOptions): Promise<UndiciSender | undefined> {
  const library = await undici().catch(() => undefined)
  if (!library) return undefined
  const connecting = new Set<Socket>()
  const connect = library.buildConnector({ timeout: options.connectTimeoutMs })
  const agent = new library.Agent({
    ...agentOptions(options),
    connections,
    connect: namingHandshakes((where, done) => {
      // The types leave out the socket that it gives.
      const socket = connect(where, (...outcome) => {
        connecting.delete(socket)
        done(...outcome)
      }) as unknown as Socket
      connecting.add(socket)
    }),
  })
  let unanswered = 0
  return {
    async send(request) {
      unanswered++
      try {
        return await send(library, agent, request)
      } finally {
        // undici would go on connecting for nobody until the time-out.
        if (--unanswered === 0) for (const socket of connecting) socket.destroy(new Error('No request waits for it.'))
      }
    },
    close: () => agent.close(),
  }
}

type Undici = Pick<typeof import('undici'), 'Agent' | 'EnvHttpProxyAgent' | 'Pool' | 'buildConnector' | 'request'>

// As the default: a bundler that splits its output gives no other name of a CommonJS module.
const undici = async (): Promise<Undici> => (await import('undici')).default as unknown as Undici

const agentOptions = ({ connectTimeoutMs, idleMs }: UndiciOptions) => ({
  connectTimeout: connectTimeoutMs,
  pipelining: idleMs > 0 ? 1 : 0,
  keepAliveTimeout: Math.max(1, idleMs),
  keepAliveMaxTimeout: Math.max(1, idleMs),
  headersTimeout: 0,
  bodyTimeout: 0,
})

/**
 * A larger body may be answered before it is read. undici would then use its connection for the next request, which waits
 * for ever behind the rest of it.
 */
export const largestKept = 1 << 18

async function send(
  library: Undici,
  dispatcher: Dispatcher,
  { url, method, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  signal.throwIfAborted()
  const sent = library.request(url, {
    dispatcher,
    method: method as Dispatcher.HttpMethod,
    headers: { 'accept-encoding': acceptEncoding, ...headers },
    body,
    signal,
    reset: (body?.length ?? 0) > largestKept,
  })
  const answer = await Promise.race([sent, abortOf(signal)])
  return responseOf(answer.statusCode, answer.statusText, answer.headers, answer.body)
}

/** Rejects when a signal aborts, which undici heeds only once a connection stands. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Names what goes wrong in the handshake of TLS. */
const namingHandshakes =
  (connect: buildConnector.connector): buildConnector.connector =>
  (where, done) =>
    connect(where, (...[error, socket]) => {
      if (error) done(unconnected(error), null)
      else done(null, socket as Socket)
    })

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

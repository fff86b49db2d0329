import type { Socket } from 'node:net'
import type * as undici from 'undici'
import { connectionInputError } from '../errors/index.js'
import type { TransportRequest, TransportResponse } from '../transport.js'
import type { Proxies } from './proxy.js'
import { acceptEncoding, namingTls, responseOf, unconnected } from './response.js'

export interface UndiciSender {
  send(request: TransportRequest): Promise<TransportResponse>
  close(): Promise<void>
}

export interface UndiciOptions {
  connectTimeoutMs: number
  /** How long an idle connection is kept, in milliseconds; 0 for not at all. */
  idleMs: number
}

/** Loads undici: its module, or the default export of it. */
export type LoadUndici = () => Promise<object>

/** Sends through the proxies. Rejects with an InputError if undici is not installed. */
export async function proxySender(proxies: Proxies, load: LoadUndici, options: UndiciOptions): Promise<UndiciSender> {
  const library = await libraryOf(load).catch((cause: unknown) => {
    const problem = 'HTTP_PROXY or HTTPS_PROXY is set, which needs undici'
    const advice = 'install it (npm install undici), and in a bundle pass undici: () => import("undici")'
    throw connectionInputError('missing_package', 'nodeTransport', problem, advice, cause)
  })
  class ProxyPool extends library.Pool {
    override connect: undici.Pool['connect'] = (options: undici.Dispatcher.ConnectOptions) =>
      super.connect(options).then(openedByProxy, closedByProxy)
  }
  const agent = new library.EnvHttpProxyAgent({
    clientFactory: (origin, poolOptions) => new ProxyPool(origin, poolOptions),
    factory: (origin, poolOptions: undici.Pool.Options) => {
      const connect = poolOptions.connect as undici.buildConnector.connector
      return new library.Pool(origin, { ...poolOptions, connect: markingUnconnected(connect) })
    },
    httpProxy: proxies['http:'],
    httpsProxy: proxies['https:'],
    // Already checked; undefined would make undici read the environment.
    noProxy: '',
    // A tunnel only for https.
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

/** Sends directly, over at most `connections` connections; undefined if undici is not installed. */
export async function pooledSender(
  connections: number,
  load: LoadUndici,
  options: UndiciOptions,
): Promise<UndiciSender | undefined> {
  const library = await libraryOf(load).catch(() => undefined)
  if (!library) return undefined
  const connecting = new Set<Socket>()
  const connect = library.buildConnector({ timeout: options.connectTimeoutMs })
  const agent = new library.Agent({
    ...agentOptions(options),
    connections,
    connect: markingUnconnected((where, done) => {
      // The types lack the socket that it returns.
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
        // undici would keep connecting until the time-out.
        if (--unanswered === 0) for (const socket of connecting) socket.destroy(new Error('No request waits for it.'))
      }
    },
    close: () => agent.close(),
  }
}

type Undici = Pick<typeof undici, 'Agent' | 'EnvHttpProxyAgent' | 'Pool' | 'buildConnector' | 'request'>

/** The default export, because bundlers that split their output give no named exports of a CommonJS module. */
async function libraryOf(load: LoadUndici): Promise<Undici> {
  const module = (await load()) as Undici & { default?: Undici }
  return module.default ?? module
}

/** Not a literal in `import()`, so that bundlers neither search for the optional peer nor include it. */
const packageName = 'undici'

export const installedUndici: LoadUndici = () =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ packageName)

const agentOptions = ({ connectTimeoutMs, idleMs }: UndiciOptions) => ({
  connectTimeout: connectTimeoutMs,
  pipelining: idleMs > 0 ? 1 : 0,
  keepAliveTimeout: Math.max(1, idleMs),
  keepAliveMaxTimeout: Math.max(1, idleMs),
  headersTimeout: 0,
  bodyTimeout: 0,
})

/** undici reuses a connection whose larger body was answered early, and the next request then never gets an answer. */
export const largestKept = 1 << 18

async function send(
  library: Undici,
  dispatcher: undici.Dispatcher,
  { url, method, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  signal.throwIfAborted()
  const sent = library.request(url, {
    dispatcher,
    method: method as undici.Dispatcher.HttpMethod,
    headers: { 'accept-encoding': acceptEncoding, ...headers },
    body,
    signal,
    reset: (body?.length ?? 0) > largestKept,
  })
  const named = sent.catch((error: Error) => {
    throw namingTls(error)
  })
  const answer = await Promise.race([named, abortOf(signal)])
  return responseOf(answer.statusCode, answer.statusText, answer.headers, answer.body, signal)
}

/** Rejects on abort: undici ignores the signal until it is connected. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const markingUnconnected =
  (connect: undici.buildConnector.connector): undici.buildConnector.connector =>
  (where, done) =>
    connect(where, (...[error, socket]) => {
      if (error) done(unconnected(error), null)
      else done(null, socket as Socket)
    })

/** A refusal of the proxy: undici reports a status as an abort, and reconnects for ever after a closed connection. */
const refusal = (did: string, proxyStatus?: number) =>
  Object.assign(new Error(`The proxy ${did}.`), { code: 'ERR_PROXY_REFUSED', did, ...(proxyStatus && { proxyStatus }) })

function openedByProxy(tunnel: undici.Dispatcher.ConnectData): undici.Dispatcher.ConnectData {
  if (tunnel.statusCode === 200) return tunnel
  tunnel.socket.on('error', () => {}).destroy()
  throw refusal(`answered ${tunnel.statusCode}`, tunnel.statusCode)
}

function closedByProxy(error: Error & { code?: string }): never {
  const isClosed = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET'
  throw isClosed ? refusal('closed the connection') : error
}

/** Adds the proxy, without its login and with its refusal, to the error. */
function throughProxy(given: Error & { code?: string; did?: string }, proxy: string): Error {
  const { protocol, host } = new URL(proxy)
  // undici's code for a proxy that answers a request over plain http with 407.
  const error = given.code === 'UND_ERR_INVALID_ARG' ? refusal('answered 407', 407) : given
  const which = error.did ? `, which ${error.did}` : ''
  return Object.assign(error, { proxy: `${protocol}//${host}${which}` })
}

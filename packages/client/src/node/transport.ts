// The whole module: a tool that replaces `http.request` in tests, such as MSW, then sees the requests.
import http, { type Agent, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
// Not the globals: jsdom under Jest has none, and fake timers replace them.
import { clearImmediate, setImmediate } from 'node:timers'
import { connectionInputError, type InputError } from '../errors/index.js'
import { numberOption, positive, wholeFromOne } from '../option-values.js'
import { refuseUnknown } from '../options.js'
import { type Fetch, type Transport, type TransportRequest, type TransportResponse, valuesOf } from '../transport.js'
import { goesDirect, type ProxyEnvironment, proxiesOf } from './proxy.js'
import {
  acceptEncoding,
  closedEarly,
  namingTls,
  responseOf,
  shownError,
  unconnected,
  webResponseOf,
} from './response.js'
import { installedUndici, largestKept, pooledSender, proxySender, type UndiciSender } from './undici.js'

/** Options of `nodeTransport`. */
export interface NodeTransportOptions {
  /**
   * Time-out for a connection including TLS, in milliseconds. After it, nothing was sent and every call is retried.
   * Default 10 000.
   */
  connectTimeoutMs?: number | undefined
  /** Source of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, read once. Default: the environment of the process. */
  environment?: ProxyEnvironment | undefined
  /**
   * Maximum connections to a server, for thousands of calls. Uses undici's pool, if that optional peer is installed, for
   * bodies up to 256 KiB: slower to load, then about twice as fast with eight concurrent calls. Best: one more than the
   * number of concurrent calls. Default: one connection per concurrent call, over `node:http`.
   */
  connections?: number | undefined
  /**
   * Loads undici with an `import()` that your bundler sees. Default: an `import()` of the installed package that bundlers
   * leave alone, so that a bundle does not hold it.
   */
  undici?: (() => Promise<object>) | undefined
  /** Allow plain http through a proxy, which can read keys and transcripts. Default false: an InputError. */
  allowHttp?: boolean | undefined
}

const optionNames: { [Name in keyof NodeTransportOptions]-?: true } = {
  ...{ connectTimeoutMs: true, environment: true, connections: true, undici: true, allowHttp: true },
}

/** The transport of `nodeTransport`. */
export interface NodeTransport extends Transport, AsyncDisposable {
  /**
   * Send one request, without following redirects. Rejects with the signal's reason, or with the connection's error,
   * reduced to fields that hold no key and no text, such as `code: 'ECONNREFUSED'`.
   */
  fetch: Fetch
  /** Wait for the calls in flight and close all connections. Later calls keep no connection. */
  close(): Promise<void>
}

/** Idle connections are kept for less time than most servers do, so that few requests meet one as it closes. */
const idleMs = 4_000
/** After this time without a call, Node polls its connections before the next one. */
const pollAfterMs = 20

/**
 * Create a transport over keep-alive connections of `node:http(s)`, which loads faster than Node's `fetch` and has no
 * 300 s limit. Uses undici (an optional peer, loaded on demand) for `HTTPS_PROXY`, `HTTP_PROXY` and `connections`; without
 * it, a call through a proxy rejects with an InputError (`missing_package`). Honours `NO_PROXY` and `NODE_EXTRA_CA_CERTS`.
 * Loopback never uses a proxy. Idle connections close after 4 000 ms. MSW does not intercept what undici sends: leave this
 * transport out in a test, or its keys reach the service. Throws an InputError for an unknown or wrong option.
 *
 * @example
 * const transport = nodeTransport()
 * const svc = createClient({ transport, timeoutMs: 600_000 })
 * await svc.annotators.list()
 * await transport.close()
 */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const {
    connectTimeoutMs = 10_000,
    environment = process.env,
    connections,
    undici = installedUndici,
    allowHttp = false,
  } = options
  refuseUnknown('nodeTransport', options, optionNames)
  numberOption('connectTimeoutMs', positive, connectTimeoutMs, 'nodeTransport')
  numberOption('connections', wholeFromOne, connections, 'nodeTransport')
  const proxies = proxiesOf(environment)
  const inFlight = new Set<ClientRequest>()
  let senders: Senders = {}
  let closed = false
  let usedAt = Infinity

  const send = (request: TransportRequest): Promise<TransportResponse> =>
    sendOnce(request).catch((error: unknown) => {
      throw shownError(error, request.signal)
    })

  const sendOnce = async (request: TransportRequest): Promise<TransportResponse> => {
    request.signal.throwIfAborted()
    const { protocol, hostname: host, port, pathname, search } = new URL(request.url)
    const secure = protocol === 'https:'
    // `node:http` expects an IPv6 address without brackets.
    const hostname = host.replace(/^\[|\]$/g, '')
    // Lets Node notice connections that the server closed while this process was busy.
    if (uptimeMs() - usedAt > pollAfterMs) await afterPoll()
    usedAt = uptimeMs()
    const pool = { connectTimeoutMs, idleMs: closed ? 0 : idleMs }
    const isProxied = proxies[secure ? 'https:' : 'http:'] !== ''
    if (isProxied && !goesDirect(proxies, hostname, port || (secure ? '443' : '80'))) {
      if (!secure && !allowHttp) throw plainProxy(hostname)
      senders.proxied ??= proxySender(proxies, undici, pool)
      return (await senders.proxied).send(request)
    }
    if (connections !== undefined && (request.body?.length ?? 0) <= largestKept) {
      senders.pooled ??= pooledSender(connections, undici, pool)
      const pooled = await senders.pooled
      if (pooled) return pooled.send(request)
    }
    const { Agent: AgentClass, request: start } = secure ? process.getBuiltinModule('node:https') : http
    const kind = secure ? 'secure' : 'plain'
    senders[kind] ??= agentOf(AgentClass, !closed)
    const where = { protocol, hostname, port, path: pathname + search, agent: senders[kind] }
    return sendOver(start, where, request, { connectTimeoutMs, inFlight })
  }

  const close = async () => {
    closed = true
    const { plain, secure, proxied, pooled } = senders
    senders = {}
    await Promise.all([...inFlight].map((request) => new Promise((resolve) => request.once('close', resolve))))
    plain?.destroy()
    secure?.destroy()
    for (const each of [proxied, pooled]) await (await each?.catch(() => undefined))?.close()
  }

  return {
    send,
    fetch: async (...given) => webResponseOf(await send(await valuesOf(...given))),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Senders {
  plain?: Agent
  secure?: Agent
  proxied?: Promise<UndiciSender>
  pooled?: Promise<UndiciSender | undefined>
}

/** Loads faster than `performance`. */
const uptimeMs = () => process.uptime() * 1_000

/** Resolves after Node has polled its connections; the first `setImmediate` may run before that. */
const afterPoll = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** Keeps an idle connection for `idleMs`, or for a second less than the server's `Keep-Alive` hint. */
function agentOf(AgentClass: typeof Agent, keepAlive: boolean): Agent {
  const agent = new AgentClass({ keepAlive, timeout: idleMs })
  agent.keepSocketAlive = (socket) => {
    const keeps: unknown = AgentClass.prototype.keepSocketAlive.call(agent, socket)
    const { timeout: hinted = idleMs } = socket as Socket
    if (hinted < idleMs) (socket as Socket).setTimeout(Math.max(1, hinted - 1_000))
    return keeps as never
  }
  return agent
}

type Start = (options: RequestOptions) => ClientRequest

const sendOver = (
  start: Start,
  where: RequestOptions,
  { method, headers, body, signal }: TransportRequest,
  { connectTimeoutMs, inFlight }: { connectTimeoutMs: number; inFlight: Set<ClientRequest> },
): Promise<TransportResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const bytes = typeof body === 'string' && body.length > chunkBytes ? Buffer.from(body) : body
    const length = bytes && bytes.length > chunkBytes ? { 'content-length': String(bytes.length) } : {}
    const sent = { 'accept-encoding': acceptEncoding, ...length, ...headers }
    const request = start({ ...where, method, headers: sent })
    inFlight.add(request)
    let connected = false
    let answer: IncomingMessage | undefined
    // Rejects with the signal's reason, not with the error of the destroyed connection.
    const stop = () => {
      reject(signal.reason)
      answer?.destroy(signal.reason)
      request.destroy()
    }
    signal.addEventListener('abort', stop, { once: true })
    request
      .on('socket', (socket: Socket) => {
        // A socket of the agent may be in the TLS handshake that another request, aborted since, began.
        connected = !socket.connecting && !(socket as Socket & { secureConnecting?: boolean }).secureConnecting
        if (connected) return
        const tooLate = () => request.destroy(connectTimeout())
        socket.setTimeout(connectTimeoutMs, tooLate)
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          connected = true
          socket.off('timeout', tooLate)
        })
      })
      .on('error', (error) => reject(connected ? namingTls(error) : unconnected(error)))
      .on('close', () => {
        if (!answer) reject(connected ? closedEarly() : unconnected(closedEarly()))
        inFlight.delete(request)
        signal.removeEventListener('abort', stop)
      })
      .on('response', (message) => {
        answer = message
        const { statusCode = 0, statusMessage = '', headers } = message
        resolve(responseOf(statusCode, statusMessage, headers, message, signal))
      })
    write(request, bytes)
  })

/** Larger bodies are written in chunks of this size, so that an abort takes effect between two of them. */
const chunkBytes = 1 << 18

function write(request: ClientRequest, body: TransportRequest['body']): void {
  if (!body || typeof body === 'string' || body.length <= chunkBytes) return void request.end(body)
  let at = 0
  let waiting: NodeJS.Immediate | undefined
  const writeChunk = () => {
    if (request.destroyed) return
    const chunk = body.subarray(at, at + chunkBytes)
    at += chunkBytes
    if (at >= body.length) request.end(chunk)
    else if (request.write(chunk)) writeAfter(loopTurns)
    else request.once('drain', () => writeAfter(loopTurns))
  }
  // Between two chunks Node handles aborts, and reads an early response before the server's reset breaks the next write.
  const writeAfter = (count: number) => {
    waiting = setImmediate(() => (count > 1 ? writeAfter(count - 1) : writeChunk()))
  }
  request.once('close', () => clearImmediate(waiting))
  writeChunk()
}

/** Turns of the event loop between two chunks; a server in the same process needs some to respond and reset. */
const loopTurns = 4

const plainProxy = (hostname: string): InputError =>
  connectionInputError(
    'invalid_base_url',
    'nodeTransport',
    `would send the request to ${hostname} over plain http through a proxy`,
    'use https, name the host in NO_PROXY, or pass allowHttp: true to nodeTransport',
  )

const connectTimeout = () =>
  Object.assign(new Error('No connection within the time-out.'), { code: 'UND_ERR_CONNECT_TIMEOUT' })

import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import { InputError } from '../errors/index.js'
import type { Fetch, Transport, TransportRequest, TransportResponse } from '../transport.js'
import { goesDirect, type ProxyEnvironment, proxiesOf } from './proxy.js'
import { acceptEncoding, closedEarly, responseOf, unconnected, webResponseOf } from './response.js'
import { largestKept, pooledSender, proxySender, type UndiciSender } from './undici.js'

/** What `nodeTransport` takes. */
export interface NodeTransportOptions {
  /**
   * Within it a connection stands, TLS included, or the server counts as not reached, so that any call is repeated; in
   * milliseconds. Default 10 000.
   */
  connectTimeoutMs?: number | undefined
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read, once. Default: the environment of the process. */
  environment?: ProxyEnvironment | undefined
  /**
   * How many connections to a server at most, for thousands of calls: then these are sent over undici's pool (an optional
   * peer), where that is installed, which takes longer to load and, with eight calls at once, half the time of each;
   * bodies over 256 KiB are not. One more than there are calls at once is best, for undici rests each connection for a turn
   * of the loop before it uses it again. Default: as many as there are calls at once, over `node:http`.
   */
  connections?: number | undefined
  /**
   * Send over plain http through a proxy, which then reads keys and transcripts. Default false: an InputError,
   * `invalid_base_url`.
   */
  allowHttp?: boolean | undefined
}

/** Sends what a client sends, and what any caller of its `fetch` does. */
export interface NodeTransport extends Transport, AsyncDisposable {
  /**
   * Sends one request, without following redirects. Resolves when status and headers are there; rejects with the reason
   * of the request's signal, or with the error of the connection and its `code`, as in `ECONNREFUSED`.
   */
  fetch: Fetch
  /** Resolves when the calls under way are answered and no connection is left. Calls that follow keep none. */
  close(): Promise<void>
}

/**
 * How long an idle connection is kept, in milliseconds: less than most servers keep one, so that few are met as they
 * close.
 */
const idleMs = 4_000
/** After so many milliseconds without a call, Node is let look at its connections before the next one. */
const unseenMs = 20

/**
 * Sends requests over kept-alive connections of `node:http` and `node:https`, which start faster than Node's `fetch`
 * and know no time-outs of their own; over undici (an optional peer, loaded then) where `HTTPS_PROXY` or `HTTP_PROXY`
 * names a proxy, or `connections` are given. Loopback never goes through a proxy, and plain http through one is refused.
 * `NO_PROXY` and `NODE_EXTRA_CA_CERTS` hold; names of proxies may be in lower case. An idle connection is kept for 4 000 ms
 * at most.
 *
 * @example
 * const transport = nodeTransport()
 * const svc = createClient({ transport, timeoutMs: 600_000 })
 * await svc.annotators.list()
 * await transport.close()
 */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { connectTimeoutMs = 10_000, environment = process.env, connections, allowHttp = false } = options
  const proxies = proxiesOf(environment)
  const underWay = new Set<ClientRequest>()
  let kept: Kept = {}
  let closed = false
  let usedAt = Infinity

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    request.signal.throwIfAborted()
    const { protocol, hostname: host, port, pathname, search } = new URL(request.url)
    const secure = protocol === 'https:'
    // `node:http` takes the address of IPv6 without its brackets.
    const hostname = host.replace(/^\[|\]$/g, '')
    // A connection that the server closed while this process was busy is known to be closed once Node has looked.
    if (uptimeMs() - usedAt > unseenMs) await afterLook()
    usedAt = uptimeMs()
    const pool = { connectTimeoutMs, idleMs: closed ? 0 : idleMs }
    const isProxied = proxies[secure ? 'https:' : 'http:'] !== ''
    if (isProxied && !goesDirect(proxies, hostname, port || (secure ? '443' : '80'))) {
      if (!secure && !allowHttp) throw plainProxy(hostname)
      kept.proxied ??= proxySender(proxies, pool)
      return (await kept.proxied).send(request)
    }
    if (connections !== undefined && (request.body?.length ?? 0) <= largestKept) {
      kept.pooled ??= pooledSender(connections, pool)
      const pooled = await kept.pooled
      if (pooled) return pooled.send(request)
    }
    const { Agent: KindOf, request: start } = secure ? await import('node:https') : { Agent, request: plainRequest }
    const kind = secure ? 'secure' : 'plain'
    kept[kind] ??= agentOf(KindOf, !closed)
    const where = { protocol, hostname, port, path: pathname + search, agent: kept[kind] }
    return exchange(start, where, request, { connectTimeoutMs, underWay })
  }

  const close = async () => {
    closed = true
    const { plain, secure, proxied, pooled } = kept
    kept = {}
    await Promise.all([...underWay].map((request) => new Promise((resolve) => request.once('close', resolve))))
    plain?.destroy()
    secure?.destroy()
    for (const each of [proxied, pooled]) await (await each?.catch(() => undefined))?.close()
  }

  return {
    send,
    fetch: async (request) => webResponseOf(await send(await valuesOf(request))),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The senders that a transport has opened. */
interface Kept {
  plain?: Agent
  secure?: Agent
  proxied?: Promise<UndiciSender>
  pooled?: Promise<UndiciSender | undefined>
}

/** A clock that costs nothing to start: Node loads several modules for `performance`. */
const uptimeMs = () => process.uptime() * 1_000

async function valuesOf(request: Request): Promise<TransportRequest> {
  const { url, method, signal } = request
  const body = request.body && new Uint8Array(await request.arrayBuffer())
  return { url, method, headers: Object.fromEntries(request.headers), body, redirect: 'manual', signal }
}

/** Resolves when Node has looked at its connections: at the second turn, for the first may be the end of this one. */
const afterLook = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/**
 * An agent that keeps an idle connection for a while: a second less than the server says that it does, at most
 * `idleMs`.
 */
function agentOf(KindOf: typeof Agent, keepAlive: boolean): Agent {
  const agent = new KindOf({ keepAlive, timeout: idleMs })
  agent.keepSocketAlive = (socket) => {
    const keeps: unknown = KindOf.prototype.keepSocketAlive.call(agent, socket)
    const { timeout: hinted = idleMs } = socket as Socket
    if (hinted < idleMs) (socket as Socket).setTimeout(Math.max(1, hinted - 1_000))
    return keeps as never
  }
  return agent
}

type Start = (options: RequestOptions) => ClientRequest

const exchange = (
  start: Start,
  where: RequestOptions,
  { method, headers, body, signal }: TransportRequest,
  { connectTimeoutMs, underWay }: { connectTimeoutMs: number; underWay: Set<ClientRequest> },
): Promise<TransportResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const bytes = typeof body === 'string' && body.length > pieceBytes ? Buffer.from(body) : body
    const length = bytes && bytes.length > pieceBytes ? { 'content-length': String(bytes.length) } : {}
    const sent = { 'accept-encoding': acceptEncoding, ...length, ...headers }
    const request = start({ ...where, method, headers: sent })
    underWay.add(request)
    let connected = false
    let answer: IncomingMessage | undefined
    // Breaks off with the reason of the signal, not with what that did to the connection.
    const stop = () => {
      reject(signal.reason)
      answer?.destroy(signal.reason)
      request.destroy()
    }
    signal.addEventListener('abort', stop, { once: true })
    request
      .on('socket', (socket: Socket) => {
        connected = !socket.connecting
        if (connected) return
        const tooLate = () => request.destroy(connectTimeout())
        socket.setTimeout(connectTimeoutMs, tooLate)
        // What comes after it may take its time, which is no business of a connection.
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          connected = true
          socket.off('timeout', tooLate)
        })
      })
      .on('error', (error) => reject(connected ? error : unconnected(error)))
      .on('close', () => {
        if (!answer) reject(closedEarly())
        underWay.delete(request)
        signal.removeEventListener('abort', stop)
      })
      .on('response', (message) => {
        answer = message
        const { statusCode = 0, statusMessage = '', headers: told } = message
        resolve(responseOf(statusCode, statusMessage, told, message))
      })
    write(request, bytes)
  })

/** A larger body is sent in pieces of this size, so that an abort takes effect before the next one. */
const pieceBytes = 1 << 18

function write(request: ClientRequest, body: TransportRequest['body']): void {
  if (!body || typeof body === 'string' || body.length <= pieceBytes) return void request.end(body)
  let at = 0
  let waiting: NodeJS.Immediate | undefined
  const writePiece = () => {
    if (request.destroyed) return
    const piece = body.subarray(at, at + pieceBytes)
    at += pieceBytes
    if (at >= body.length) request.end(piece)
    else if (request.write(piece)) writeAfter(turns)
    else request.once('drain', () => writeAfter(turns))
  }
  // In between Node looks at its connections, so that an abort is heard, and an early answer is read before the reset
  // behind it breaks the next write.
  const writeAfter = (count: number) => {
    waiting = setImmediate(() => (count > 1 ? writeAfter(count - 1) : writePiece()))
  }
  request.once('close', () => clearImmediate(waiting))
  writePiece()
}

/** Turns of the loop between two pieces; a server in the same process takes some to answer and to reset. */
const turns = 4

function plainProxy(hostname: string): InputError {
  const message = `nodeTransport: would send the request to ${hostname} over plain http through a proxy`
  const hint = 'use https, name the host in NO_PROXY, or pass allowHttp: true to nodeTransport'
  return new InputError('invalid_base_url', `${message}; ${hint}.`, 'nodeTransport')
}

const connectTimeout = () =>
  Object.assign(new Error('No connection within the time-out.'), { code: 'ETIMEDOUT', syscall: 'connect' })

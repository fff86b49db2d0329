import { Agent, type ClientRequest, request as plainRequest, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isLight, LightRequest, type Transport } from './fetch.js'
import { type ProxyEnvironment, type ProxyFetch, proxiesOf, proxyFetchOf } from './node-proxy.js'
import { NodeResponse } from './node-response.js'

export interface NodeTransportOptions {
  /** Within it a connection stands, TLS included, or the server counts as not reached; in milliseconds. Default 10 000. */
  connectTimeoutMs?: number | undefined
  /** Where the proxies are named. Default: the environment of the process. */
  environment?: ProxyEnvironment | undefined
}

/** A light `Request` and the `fetch` that sends it: a pair that openapi-fetch takes, too. */
export interface NodeTransport extends Transport, AsyncDisposable {
  Request: typeof LightRequest
  fetch(request: LightRequest | Request): Promise<NodeResponse>
  /** Resolves when the calls under way are answered and no connection is left. Calls that follow keep none. */
  close(): Promise<void>
}

/** How long an idle connection is kept, in milliseconds: less than servers keep one, so that none is met as it closes. */
const idleMs = 4_000

/**
 * Sends requests over kept-alive connections of `node:http` and `node:https`, which start faster than Node's `fetch` and
 * know no time-outs of their own; over undici (an optional peer, loaded then) where `HTTPS_PROXY` or `HTTP_PROXY` names
 * a proxy. `NO_PROXY` and `NODE_EXTRA_CA_CERTS` hold; names of proxies may be in lower case.
 */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { connectTimeoutMs = 10_000, environment = process.env } = options
  const proxies = proxiesOf(environment)
  const underWay = new Set<ClientRequest>()
  let kept: { plain?: Agent; secure?: Agent; proxied?: Promise<ProxyFetch> } = {}
  let closed = false

  const send = async (request: LightRequest): Promise<NodeResponse> => {
    const url = new URL(request.url)
    const secure = url.protocol === 'https:'
    if (proxies[secure ? 'https:' : 'http:']) {
      kept.proxied ??= proxyFetchOf(proxies, { connectTimeoutMs, keepAlive: !closed })
      return (await kept.proxied).fetch(request)
    }
    const { Agent: KindOf, request: start } = secure ? await import('node:https') : { Agent, request: plainRequest }
    const kind = secure ? 'secure' : 'plain'
    kept[kind] ??= agentOf(KindOf, !closed, connectTimeoutMs)
    return exchange(start, url, request, kept[kind], underWay)
  }

  const close = async () => {
    closed = true
    const { plain, secure, proxied } = kept
    kept = {}
    await Promise.all([...underWay].map((request) => new Promise((resolve) => request.once('close', resolve))))
    plain?.destroy()
    secure?.destroy()
    await (await proxied?.catch(() => undefined))?.close()
  }

  return {
    Request: LightRequest,
    fetch: (request) => (isLight(request) ? send(request) : lightened(request).then(send)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const lightened = async (request: Request): Promise<LightRequest> => {
  const { url, method, headers, signal } = request
  return new LightRequest(url, {
    method,
    headers,
    signal,
    body: request.body && new Uint8Array(await request.arrayBuffer()),
  })
}

/** An agent that keeps an idle connection for a while: a second less than the server says that it does, at most `idleMs`. */
function agentOf(KindOf: typeof Agent, keepAlive: boolean, timeout: number): Agent {
  const agent = new KindOf({ keepAlive, timeout })
  agent.keepSocketAlive = (socket) => {
    const keeps: unknown = KindOf.prototype.keepSocketAlive.call(agent, socket)
    const { timeout: hinted = idleMs } = socket as Socket
    ;(socket as Socket).setTimeout(Math.max(1, Math.min(hinted - 1_000, idleMs)))
    return keeps as never
  }
  return agent
}

type Start = (url: URL, options: RequestOptions) => ClientRequest

const exchange = (
  start: Start,
  url: URL,
  { method, headers, body, signal }: LightRequest,
  agent: Agent,
  underWay: Set<ClientRequest>,
): Promise<NodeResponse> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const request = start(url, { method, headers: Object.fromEntries(headers), agent })
    underWay.add(request)
    let connected = false
    const abort = () => {
      reject(signal?.reason)
      request.destroy()
    }
    signal?.addEventListener('abort', abort, { once: true })
    request
      .on('socket', (socket: Socket) => {
        connected = !socket.connecting
        const event = (socket as Partial<TLSSocket>).encrypted ? 'secureConnect' : 'connect'
        if (!connected) socket.once(event, () => (connected = true))
      })
      // The agent's time-out also speaks of answers that take their time, which is no business of a connection.
      .on('timeout', () => connected || request.destroy(connectTimeout()))
      .on('error', reject)
      .on('close', () => {
        underWay.delete(request)
        signal?.removeEventListener('abort', abort)
      })
      .on('response', (message) => {
        resolve(new NodeResponse(message.statusCode ?? 0, message.statusMessage ?? '', message.headers, message))
      })
      .end(body)
  })

const connectTimeout = () =>
  Object.assign(new Error('No connection within the time-out.'), { code: 'ETIMEDOUT', syscall: 'connect' })

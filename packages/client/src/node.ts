import { isLight, LightRequest, type Transport } from './fetch.js'
import { createPool, type Pool, uptimeMs } from './node-pool.js'
import { type ProxyEnvironment, type ProxyFetch, proxiesOf, proxyFetchOf } from './node-proxy.js'
import { acceptEncoding, decoded, type NodeResponse } from './node-response.js'

export { codesOf } from './cause.js'

/** What `nodeTransport` takes. */
export interface NodeTransportOptions {
  /**
   * Within it a connection stands, TLS included, or the server counts as not reached, so that any call is repeated; in
   * milliseconds. Default 10 000.
   */
  connectTimeoutMs?: number | undefined
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read, once. Default: the environment of the process. */
  environment?: ProxyEnvironment | undefined
}

/** A light `Request` and the `fetch` that sends it: a pair that openapi-fetch takes, too. */
export interface NodeTransport extends Transport, AsyncDisposable {
  /** A request as values, which costs less than a `Request`; its `body` is a string or bytes. */
  Request: typeof LightRequest
  /**
   * Sends one request, without following redirects. Resolves when status and headers are there; rejects with the reason
   * of the request's signal, or with the error of the connection and its `code`, as in `ECONNREFUSED`.
   */
  fetch(request: LightRequest | Request): Promise<NodeResponse>
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
 * Sends requests over kept-alive connections of its own, which start faster and cost less than Node's `fetch` and
 * `node:http`, and know no time-outs; over undici (an optional peer, loaded then) where `HTTPS_PROXY` or `HTTP_PROXY`
 * names a proxy. `NO_PROXY` and `NODE_EXTRA_CA_CERTS` hold; names of proxies may be in lower case. An idle connection
 * is kept for 4 000 ms at most.
 *
 * @example
 * const transport = nodeTransport()
 * const svc = createClient({ transport, timeoutMs: 600_000 })
 * await svc.annotators.list()
 * await transport.close()
 */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { connectTimeoutMs = 10_000, environment = process.env } = options
  const proxies = proxiesOf(environment)
  const pool = createPool({ connectTimeoutMs, idleMs })
  let proxied: Promise<ProxyFetch> | undefined
  let usedAt = Number.POSITIVE_INFINITY

  const send = async (request: LightRequest): Promise<NodeResponse> => {
    if (proxies[request.url.startsWith('https:') ? 'https:' : 'http:']) {
      proxied ??= proxyFetchOf(proxies, { connectTimeoutMs, keepAlive: pool.keeps })
      return (await proxied).fetch(request)
    }
    // A connection that the server closed while this process was busy is known to be closed once Node has looked.
    if (uptimeMs() - usedAt > unseenMs) await afterLook()
    usedAt = uptimeMs()
    return exchange(pool, request)
  }

  const close = async () => {
    await pool.close()
    await (await proxied?.catch(() => undefined))?.close()
    proxied = undefined
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

/** Resolves when Node has looked at its connections: at the second turn, for the first may be the end of this one. */
const afterLook = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const exchange = (pool: Pool, sent: LightRequest): Promise<NodeResponse> =>
  new Promise((resolve, reject) => {
    const { url, method, body, given } = sent
    given?.throwIfAborted()
    if (sent.stopped) throw sent.signal.reason
    const path = url.indexOf('/', 'https://'.length)
    const origin = path < 0 ? url : url.slice(0, path)
    const request = {
      method,
      head: headOf(sent, origin, path < 0 ? '/' : url.slice(path), pool.keeps),
      body: body ?? '',
      ended: given && (() => given.removeEventListener('abort', stop)),
    }
    let destroy: ((error: Error) => void) | undefined
    const stop = () => {
      const { reason } = sent.signal
      reject(reason)
      destroy?.(reason)
    }
    sent.onstop = stop
    given?.addEventListener('abort', stop, { once: true })
    pool
      .send(origin, request, (how) => {
        destroy = how
        if (sent.stopped || given?.aborted) stop()
      })
      .then(({ status, text, headers, body }) => resolve(decoded(status, text, headers, body)))
      .catch(reject)
  })

/** What this transport says itself, whatever it is given. */
const own = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect', 'upgrade'])
/** Methods that tell the length of their body also where they have none (RFC 9110, section 8.6). */
const sendsBody = new Set(['POST', 'PUT', 'PATCH'])

/** A request up to its body. What would end a line early, and so be read as another request, is refused. */
function headOf({ method, headers, body }: LightRequest, origin: string, path: string, keeps: boolean): string {
  if (!/^[\w-]+$/.test(method) || /[^\x21-\xff]/.test(path)) throw unsendable('method or path')
  let host = `host: ${origin.slice(origin.indexOf('//') + 2)}\r\n`
  let coding = `accept-encoding: ${acceptEncoding}\r\n`
  let text = `connection: ${keeps ? 'keep-alive' : 'close'}\r\n`
  for (const [name, value] of headers) {
    if (own.has(name)) continue
    if (/[^\t -~\x80-\xff]/.test(value)) throw unsendable('header')
    if (name === 'host') host = ''
    if (name === 'accept-encoding') coding = ''
    text += `${name}: ${value}\r\n`
  }
  if (body !== null || sendsBody.has(method))
    text += `content-length: ${body === null ? 0 : Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\n${host}${coding}${text}\r\n`
}

/** Without the words: a header may be a secret, and a path somebody's search. */
const unsendable = (what: string): TypeError => new TypeError(`nodeTransport: the ${what} holds what cannot be sent.`)

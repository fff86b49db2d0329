import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Base, longestFirst, resolveTarget, unknownTarget } from '../bases.js'
import type { Clock } from '../clock.js'
import { type Handler, refusalResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import type { Surface } from '../types.js'
import { type AllowedCallers, createHostCheck, hostProblem } from './allowed-hosts.js'
import { ClientErrors } from './client-errors.js'
import { HeldSockets } from './socket.js'
import { type ListenerState, SocketRequest, serverOptionsResponse } from './socket-request.js'

/** Where to listen. */
export interface ListenOptions {
  /** Default 0: a free port. */
  port?: number
  /** A name or an address, of IPv6 too. Default `127.0.0.1`. */
  host?: string
  /** A Unix socket or a named pipe, in place of port and host. */
  path?: string
}

/** A server that listens. */
export interface Listening {
  /** With a `path` it begins `http://localhost`, and only a client that is told the path finds it. */
  baseUrl: string
  /** Base URL of the workspace surface, without a slash at its end. */
  publicBaseUrl: string
  /** 0 with a `path`. */
  port: number
  /**
   * Takes no new connections, lets answers that are under way end within the grace, and cuts what is left. Answers that are
   * held back on purpose end at once. `svc mock` calls it on SIGINT and SIGTERM.
   */
  close(options?: CloseOptions): Promise<void>
}

/** How a server ends. */
export interface CloseOptions {
  /** How long work may take to end, in milliseconds. Default 500. */
  graceMs?: number
}

/** How long a server waits for a caller, in milliseconds. Node's values differ between its versions. */
export interface Timeouts {
  /** For all headers of a request. */
  headersMs: number
  /** For the next bytes of a body. There is no limit for a whole request: an upload may take its time while it moves. */
  idleMs: number
  /** For the next request on a connection; longer than clients keep one, so that none is closed while it is taken up. */
  keepAliveMs: number
  /** How often the first is looked at. */
  checkMs: number
}

const defaultPatience: Timeouts = { headersMs: 60_000, idleMs: 120_000, keepAliveMs: 65_000, checkMs: 30_000 }
const maxHeaderBytes = 16 * 1024

/** Serves calls over `node:http`, each surface under its path. Rejects with Node's `code` where it cannot listen. */
export async function listen(
  answer: Handler,
  paths: Readonly<Record<Surface, string>>,
  clock: Clock,
  options: ListenOptions,
  callers: AllowedCallers = {},
  patience: Timeouts = defaultPatience,
): Promise<Listening> {
  const bases = longestFirst([
    { surface: 'annotation', prefix: paths.annotation },
    { surface: 'workspace', prefix: paths.workspace },
  ])
  const http = await nodeHttp()
  const { host } = options
  const own = host === undefined ? [] : [host.includes(':') ? `[${host}]` : host]
  const admission = createHostCheck({ ...callers, hosts: [...own, ...(callers.hosts ?? [])] })
  const listener: ListenerState = { clock, held: new HeldSockets(), isClosing: false }
  const calls = new WeakMap<Socket, SocketRequest>()
  const server = http.createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: patience.headersMs,
    requestTimeout: 0,
    keepAliveTimeout: patience.keepAliveMs,
    connectionsCheckingInterval: patience.checkMs,
    // Node would answer by itself, without the envelope.
    requireHostHeader: false,
    insecureHTTPParser: false,
  })

  const begin = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const call = new SocketRequest(request, response, targetOf(bases, request.url ?? ''), expectsContinue)
    calls.set(request.socket, call)
    return call
  }
  /** The authority of a whole URL in the request line stands above the Host (RFC 9112, 3.2.2); both must be allowed. */
  const foreignness = ({ url = '', headers }: IncomingMessage) => {
    const { host = null, origin = null } = headers
    const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
    return admission({ host, origin }) ?? (authority ? admission({ host: authority, origin: null }) : undefined)
  }
  const refuse = (call: SocketRequest, refusal: Refusal) => {
    call.abort(refusal)
    call.respond(refusalResponse(call.surface, refusal), listener)
  }
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const call = begin(request, response, expectsContinue)
    const problem = hostProblem(request.rawHeaders, request.httpVersion)
    if (problem) return refuse(call, new Refusal(400, problem))
    call.rejection = foreignness(request)
    if (!call.rejection && request.url === '*' && request.method === 'OPTIONS')
      return call.respond(serverOptionsResponse, listener)
    // At the end of this turn a body may be there in whole, and the connection can stay.
    answer(call).then(
      (whole) => setImmediate(() => call.respond(whole, listener)),
      () => call.destroy(),
    )
  }
  server.on('request', (request, response) => serve(request, response, false))
  // Node would send 100 Continue by itself, and the body would come before it can be refused.
  server.on('checkContinue', (request, response) => serve(request, response, true))
  server.on('checkExpectation', (request, response) =>
    refuse(
      begin(request, response, true),
      foreignness(request) ?? new Refusal(417, 'Of all expectations only 100-continue can be met.'),
    ),
  )

  const unparsed = new ClientErrors({
    answer,
    target: (url) => targetOf(bases, url),
    latest: (socket) => calls.get(socket),
    now: clock.now,
    reasons: http.STATUS_CODES,
    held: listener.held,
  })
  server.on('clientError', (error, socket) => unparsed.refuse(error, socket as Socket))
  server.on('connect', (request, socket) => unparsed.connect(request, socket as Socket))
  server.setTimeout(patience.idleMs, (socket: Socket) => unparsed.wait(socket))

  await started(server, options)
  const { port, origin } = placeOf(server, options)
  return {
    baseUrl: origin + paths.annotation,
    publicBaseUrl: origin + paths.workspace,
    port,
    close: ({ graceMs = 500 } = {}) => {
      listener.isClosing = true
      const closed = stopped(server, graceMs)
      listener.held.endAll()
      return closed
    },
  }
}

/** The target of a request line: a path, or a whole URL whose authority is not looked at. */
function targetOf(bases: readonly Base[], url: string) {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  return resolveTarget(bases, path) ?? unknownTarget
}

async function nodeHttp() {
  // Inside `try`, so that a bundler for browsers leaves the import alone.
  try {
    return await import('node:http')
  } catch (cause) {
    throw new Error('listen() needs node:http; elsewhere use server.fetch or server.handlers.', { cause })
  }
}

function started(server: Server, { port = 0, host = '127.0.0.1', path }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const { code } = cause
      const why = code === 'EADDRINUSE' ? 'it is in use' : (code ?? cause.message)
      const problem = new Error(`${path ?? `${host}:${port}`} cannot be listened on: ${why}.`, { cause })
      reject(Object.assign(problem, { code }))
    })
    server.listen(path === undefined ? { port, host } : { path }, () => {
      // Later errors are of single connections that could not be taken, and end nothing.
      server.removeAllListeners('error').on('error', () => {})
      resolve()
    })
  })
}

function placeOf(server: Server, { host = '127.0.0.1', path }: ListenOptions): { port: number; origin: string } {
  if (path !== undefined) return { port: 0, origin: 'http://localhost' }
  const { port } = server.address() as AddressInfo
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return { port, origin: `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}` }
}

function stopped(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import { type Base, longestFirst, resolveTarget, unknownTarget } from '../bases.js'
import { type Handler, refusalResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import type { Surface } from '../types.js'
import { type AllowedCallers, createHostCheck, hostProblem } from './allowed-hosts.js'
import { ClientErrors } from './client-errors.js'
import type { EdgeParts } from './fetch.js'
import { HeldSockets } from './socket.js'
import { type ListenerState, SocketRequest, serverOptionsResponse } from './socket-request.js'
import { createTls, type TlsCertificate } from './tls.js'

/** The place to listen on. */
export interface ListenOptions {
  /** Default 0: a free port. */
  port?: number
  /** A name, or an IPv4 or IPv6 address. Default `127.0.0.1`; the default and `localhost` also listen on `::1` where there is IPv6. */
  host?: string
  /** A Unix socket or a named pipe, in place of port and host. */
  path?: string
  /**
   * Serve over TLS: `true` with a certificate that the server makes for `localhost`, 127.0.0.1, ::1, `host` and `allowedHosts`, or
   * with a certificate of your own. Default false.
   */
  tls?: boolean | TlsCertificate
}

/** A listening server. */
export interface Listening {
  /**
   * Base URL of the annotation surface. With `path` it begins with `http://localhost`, and the client needs the path as well; with
   * `tls` it begins with `https:`.
   */
  baseUrl: string
  /** Base URL of the workspace surface, without a slash at its end. */
  publicBaseUrl: string
  /** 0 with a `path`. */
  port: number
  /** The certificate that clients have to trust, in PEM: with `tls: true` only. */
  ca?: string
  /**
   * Write the certificate into a folder, and return the variables with which Node, OpenSSL, curl and Python trust it:
   * `NODE_EXTRA_CA_CERTS` adds it to what they know, and the bundle of the others holds the public authorities, too. The files
   * that `env` names in these variables stay trusted. Writes nothing, and returns no variables, without a certificate of its own.
   */
  trust(folder: string, env?: Readonly<Record<string, string | undefined>>): Record<string, string>
  /**
   * Stop accepting connections, wait for pending responses, and close what is left after `graceMs`. A request that has not
   * arrived completely after half a second is cut off, and responses held back by a fault end at once. `svc mock` calls it on
   * SIGINT and SIGTERM.
   */
  close(options?: CloseOptions): Promise<void>
}

/** Options of closing a server. */
export interface CloseOptions {
  /** How long to wait for pending responses, in milliseconds. Default 500. */
  graceMs?: number
}

/** Time limits of a connection, in milliseconds. Node's defaults differ between its versions. */
export interface Timeouts {
  headersMs: number
  /** For the next bytes of a body. A whole request has no limit: a large upload may take long. */
  idleMs: number
  /** For the next request on a connection; longer than clients keep one, so that none is closed during its reuse. */
  keepAliveMs: number
  /** The interval of checks for late headers. */
  checkMs: number
}

const defaultTimeouts: Timeouts = { headersMs: 60_000, idleMs: 120_000, keepAliveMs: 65_000, checkMs: 30_000 }
const maxHeaderBytes = 16 * 1024

/** How long the rest of a request may take to arrive while the server closes, in milliseconds. */
const arrivalMs = 500

/** Serve over `node:http`, each surface under its path. Rejects with Node's `code` if it cannot listen. */
export async function listen(
  handler: Handler,
  paths: Readonly<Record<Surface, string>>,
  edge: EdgeParts,
  options: ListenOptions,
  { hosts, origins }: AllowedCallers = { hosts: [], origins: [] },
  timeouts: Timeouts = defaultTimeouts,
): Promise<Listening> {
  // One function: the sockets, timers and requests of a server close each other.
  const bases = longestFirst([
    { surface: 'annotation', prefix: paths.annotation },
    { surface: 'workspace', prefix: paths.workspace },
  ])
  const { http, net } = await nodeModules()
  const ownHosts = options.host === undefined ? [] : [bracketed(options.host)]
  const names = [
    'localhost',
    '127.0.0.1',
    '::1',
    ...[...ownHosts, ...hosts].map((host) => host.replace(/^\[|\]$/g, '')),
  ]
  const tls = options.tls ? await createTls(options.tls, [...new Set(names)]) : undefined
  const checkHost = createHostCheck({ hosts: [...ownHosts, ...hosts], origins })
  const state: ListenerState = { ...edge, held: new HeldSockets(), isClosing: false }
  const latest = new WeakMap<Socket, SocketRequest>()
  const sockets = new Set<Socket>()
  const server = http.createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: 0,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkMs,
    // Node would answer itself, without the error envelope.
    requireHostHeader: false,
    insecureHTTPParser: false,
  })

  // Not in the types of Node: a client that has ended its half of the connection still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true })

  /** Also checks the authority of an absolute URL in the request line, which overrides the Host (RFC 9112, 3.2.2). */
  const rejectionOf = ({ url = '', headers }: IncomingMessage) => {
    const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
    return checkHost(headers) ?? (host ? checkHost({ host }) : undefined)
  }
  const begin = (message: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const request = new SocketRequest(message, response, targetOf(bases, message.url ?? ''), expectsContinue)
    latest.set(message.socket, request)
    return request
  }
  const refuse = (request: SocketRequest, refusal: Refusal) => {
    request.abort(refusal)
    request.respond(refusalResponse(request.surface, refusal, edge.ambiguities().errorBody), state)
  }
  const serve = (message: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const request = begin(message, response, expectsContinue)
    const problem = hostProblem(message.rawHeaders, message.httpVersion)
    if (problem) return refuse(request, new Refusal(400, problem))
    request.rejection = rejectionOf(message)
    if (!request.rejection && message.url === '*' && message.method === 'OPTIONS')
      return request.respond(serverOptionsResponse, state)
    handler(request).then(
      // In the next turn a small body may be complete, and the connection can be kept.
      (outgoing) => setImmediate(() => request.respond(outgoing, state)),
      () => request.destroy(),
    )
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (message, response) => serve(message, response, false))
  // Node would send 100 Continue itself, and the body would arrive before it can be refused.
  server.on('checkContinue', (message, response) => serve(message, response, true))
  server.on('checkExpectation', (message, response) =>
    refuse(
      begin(message, response, true),
      rejectionOf(message) ?? new Refusal(417, 'The only supported expectation is 100-continue.'),
    ),
  )

  const clientErrors = new ClientErrors({
    handler,
    target: (url) => targetOf(bases, url),
    latest: (socket) => latest.get(socket),
    edge,
    statusTexts: http.STATUS_CODES,
    held: state.held,
  })
  server.on('clientError', (error, socket) => clientErrors.refuse(error, socket as Socket))
  server.on('connect', (message, socket) => clientErrors.connect(message, socket as Socket))
  server.setTimeout(timeouts.idleMs, (socket: Socket) => clientErrors.timeout(socket))

  tls?.wrap(server)
  const servers = await start(server, net.createServer, options)
  const { port, origin } = addressOf(server, options)
  return {
    baseUrl: origin + paths.annotation,
    publicBaseUrl: origin + paths.workspace,
    port,
    ...(tls?.ca !== undefined && { ca: tls.ca }),
    trust: (folder, env = {}) => (tls?.ca === undefined ? {} : tls.trust(folder, env)),
    close: ({ graceMs = 500 } = {}) => {
      state.isClosing = true
      const stopped = stop(server, servers, graceMs, () => {
        for (const socket of sockets) if (!latest.get(socket)?.isPending) socket.destroy()
      })
      state.held.stop()
      return stopped
    },
  }
}

/** The target of a request line: a path, or an absolute URL. */
function targetOf(bases: readonly Base[], url: string) {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  return resolveTarget(bases, path) ?? unknownTarget
}

async function nodeModules() {
  // Bundlers for browsers leave an import inside `try` alone.
  try {
    return { http: await import('node:http'), net: await import('node:net') }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`listen() cannot load node:http: ${reason} Without it, use server.fetch or server.handlers.`, {
      cause,
    })
  }
}

/** How many free ports to try until one is free on both loopback addresses. */
const maxPorts = 20

/**
 * Listen, and return the servers that count the connections: `localhost` is 127.0.0.1 or ::1, whichever the client tries
 * first, and a second server passes the connections to ::1 on. It listens first, but no request is answered before both do.
 */
async function start(
  server: Server,
  createServer: typeof import('node:net').createServer,
  options: ListenOptions,
): Promise<NetServer[]> {
  const { port = 0, host = 'localhost', path } = options
  if (path !== undefined || host !== 'localhost') {
    await bind(server, options)
    return [server]
  }
  const listening = new Promise<void>((resolve) => server.once('listening', resolve))
  for (let tried = 1; ; tried += 1) {
    const ipv6 = createServer({ allowHalfOpen: true, noDelay: true }, async (socket) => {
      await listening
      server.emit('connection', socket)
    })
    const problem = await problemOf(bind(ipv6, { port, host: '::1' }))
    const free = problem ? port : (ipv6.address() as AddressInfo).port
    const failure =
      (await problemOf(bind(server, { port: free }))) ?? (problem?.code === 'EADDRINUSE' ? problem : undefined)
    if (!failure) return problem ? [server] : [server, ipv6]
    await Promise.all([server, ipv6].map((each) => new Promise((resolve) => each.close(resolve))))
    if (port !== 0 || failure.code !== 'EADDRINUSE' || tried === maxPorts) throw failure
  }
}

const problemOf = (bound: Promise<void>): Promise<NodeJS.ErrnoException | undefined> =>
  bound.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  )

function bind(server: NetServer, { port = 0, host = '127.0.0.1', path }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const { code } = cause
      const reason = code === 'EADDRINUSE' ? 'it is in use' : (code ?? cause.message)
      const error = new Error(`Cannot listen on ${path ?? `${bracketed(host)}:${port}`}: ${reason}.`, { cause })
      reject(Object.assign(error, { code }))
    }
    server.once('error', fail)
    server.listen(path === undefined ? { port, host } : { path }, () => {
      // Later errors concern single connections.
      server.off('error', fail).on('error', () => {})
      resolve()
    })
  })
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

function addressOf(server: Server, { host = '127.0.0.1', path, tls }: ListenOptions): { port: number; origin: string } {
  const scheme = tls ? 'https' : 'http'
  if (path !== undefined) return { port: 0, origin: `${scheme}://localhost` }
  const { port } = server.address() as AddressInfo
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return { port, origin: `${scheme}://${bracketed(reachable)}:${port}` }
}

async function stop(server: Server, servers: NetServer[], graceMs: number, closeIncomplete: () => void): Promise<void> {
  const timers = [
    setTimeout(closeIncomplete, Math.min(arrivalMs, graceMs)),
    setTimeout(() => server.closeAllConnections(), graceMs),
  ]
  const closed = servers.map((each) => new Promise((resolve) => each.close(resolve)))
  server.closeIdleConnections()
  await Promise.all(closed)
  for (const timer of timers) clearTimeout(timer)
}

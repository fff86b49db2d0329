import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import { type Base, longestFirst, resolveTarget, unknownTarget } from '../bases.js'
import { type Handler, refusalResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import type { Surface } from '../types.js'
import { type AllowedCallers, createHostCheck, hostProblem } from './allowed-hosts.js'
import { ClientErrors } from './client-errors.js'
import type { EdgeParts } from './fetch.js'
import { addressOf, bracketed, type ListenOptions, start } from './place.js'
import { HeldSockets } from './socket.js'
import { type ListenerState, SocketRequest, serverOptionsResponse } from './socket-request.js'
import { createTls } from './tls.js'

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

/** What a listening server answers with, and whom. */
export interface Served extends EdgeParts {
  handler: Handler
  /** The path of each surface. */
  paths: Readonly<Record<Surface, string>>
  /** Default: none but loopback. */
  callers?: AllowedCallers
  timeouts?: Timeouts
}

/** Serve over `node:http`, each surface under its path. Rejects with Node's `code` if it cannot listen. */
export async function listen(served: Served, options: ListenOptions): Promise<Listening> {
  // One function: the sockets, timers and requests of a server close each other.
  const { handler, paths, callers = { hosts: [], origins: [] }, timeouts = defaultTimeouts, ...edge } = served
  const bases = longestFirst([
    { surface: 'annotation', prefix: paths.annotation },
    { surface: 'workspace', prefix: paths.workspace },
  ])
  const { http, net } = await nodeModules()
  const hosts = [...(options.host === undefined ? [] : [bracketed(options.host)]), ...callers.hosts]
  const names = ['localhost', '127.0.0.1', '::1', ...hosts.map((host) => host.replace(/^\[|\]$/g, ''))]
  const tls = options.tls ? await createTls(options.tls, [...new Set(names)]) : undefined
  const checkHost = createHostCheck({ ...callers, hosts })
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
    request.rejection = checkHost(message)
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
      checkHost(message) ?? new Refusal(417, 'The only supported expectation is 100-continue.'),
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

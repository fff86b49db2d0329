import type { Server } from 'node:http'
import type { AddressInfo, createServer, Server as NetServer } from 'node:net'
import type { TlsCertificate } from './tls.js'

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

/** How many free ports to try until one is free on both loopback addresses. */
const maxPorts = 20

/**
 * Listen, and return the servers that count the connections: `localhost` is 127.0.0.1 or ::1, whichever the client tries
 * first, and a second server passes the connections to ::1 on. It listens first, but no request is answered before both do.
 */
export async function start(
  server: Server,
  createNetServer: typeof createServer,
  options: ListenOptions,
): Promise<NetServer[]> {
  const { port = 0, host = 'localhost', path } = options
  if (path !== undefined || host !== 'localhost') {
    await bind(server, options)
    return [server]
  }
  const listening = new Promise<void>((resolve) => server.once('listening', resolve))
  for (let tried = 1; ; tried += 1) {
    const ipv6 = createNetServer({ allowHalfOpen: true, noDelay: true }, async (socket) => {
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

export const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

export function addressOf(
  server: Server,
  { host = '127.0.0.1', path, tls }: ListenOptions,
): { port: number; origin: string } {
  const scheme = tls ? 'https' : 'http'
  if (path !== undefined) return { port: 0, origin: `${scheme}://localhost` }
  const { port } = server.address() as AddressInfo
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return { port, origin: `${scheme}://${bracketed(reachable)}:${port}` }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createProxy } from 'proxy'
import { generate } from 'selfsigned'

/** A server on loopback that a test may look into. */
export interface Listening {
  url: string
  port: number
  /** Connections that are open now. */
  open: Set<Socket>
  /** Connections that were ever opened. */
  connections: number
  requests: IncomingMessage[]
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const answer = JSON.stringify({ status: 'ok', substrate: 'lambda' })

/** Answers as GET /health does. */
export const healthy: Handler = (request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer))
}

export async function listen(server: Server, protocol = 'http'): Promise<Listening> {
  const open = new Set<Socket>()
  const listening: Omit<Listening, 'url' | 'port'> = {
    open,
    connections: 0,
    requests: [],
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('connection', (socket: Socket) => {
    listening.connections++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.on('request', (request: IncomingMessage) => listening.requests.push(request))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(listening, { port, url: `${protocol}://127.0.0.1:${port}` })
}

export const plainServer = (handler: Handler = healthy): Promise<Listening> => listen(createServer(handler))

/** A server with a self-signed certificate, which no client trusts by default. */
export async function secureServer(): Promise<Listening & { certificate: string }> {
  const notAfterDate = new Date(Date.now() + 86_400_000)
  const altNames = [
    { type: 7 as const, ip: '127.0.0.1' },
    { type: 2 as const, value: 'svc.test' },
  ]
  const extensions = [{ name: 'subjectAltName' as const, altNames }]
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    notAfterDate,
    extensions,
  })
  return Object.assign(await listen(createSecureServer({ cert, key }, healthy), 'https'), { certificate: cert })
}

/**
 * A real forward proxy; with `password` only for those who know it. `tunnels` are the hosts it was asked to connect to and
 * `urls` those of other requests. It takes `svc.test` for the address of loopback.
 */
export async function proxyServer(password?: string): Promise<Listening & { tunnels: string[]; urls: string[] }> {
  const server = createProxy(createServer())
  const tunnels: string[] = []
  const urls: string[] = []
  const resolved = (request: IncomingMessage, seen: string[]) => {
    seen.push(request.url ?? '')
    request.url = request.url?.replace('svc.test', '127.0.0.1') ?? ''
  }
  server.prependListener('connect', (request: IncomingMessage) => resolved(request, tunnels))
  server.prependListener('request', (request: IncomingMessage) => resolved(request, urls))
  if (password) {
    const expected = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
    server.authenticate = ({ headers }) => headers['proxy-authorization'] === expected
  }
  return Object.assign(await listen(server), { tunnels, urls })
}

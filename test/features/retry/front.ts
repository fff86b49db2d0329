import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'

/** The failures of a connection before the service sees a request. */
export const connectionFaults = [
  'none',
  'reset at once',
  'reset after the first bytes',
  'closed after the first bytes',
  'speaks another protocol',
] as const
export type ConnectionFault = (typeof connectionFaults)[number]

/** The answer of the other protocol: a page of a plain server, or the alert of a TLS server. */
const answerOf = { https: 'HTTP/1.1 400 Bad Request\r\n\r\n', http: '\x15\x03\x01\x00\x02\x02\x28' }

/** A port before a server: its first connection may fail, the others are passed on, decrypted. */
export interface Front {
  origin: string
  close(): Promise<unknown>
}

/** Made once: keys take their time. */
let certificate: ReturnType<typeof generate> | undefined

export async function openFront(
  scheme: 'http' | 'https',
  fault: ConnectionFault,
  target: () => string,
): Promise<Front> {
  certificate ??= generate([{ name: 'commonName', value: 'localhost' }])
  const { private: key, cert } = await certificate
  const secureContext = createSecureContext({ key, cert })
  const sockets = new Set<Socket>()
  const keep = <S extends Socket>(socket: S): S => {
    sockets.add(socket.on('error', () => {}))
    return socket
  }
  const passOn = (socket: Socket) => {
    const plain = scheme === 'https' ? keep(new TLSSocket(socket, { isServer: true, secureContext })) : socket
    const { hostname, port } = new URL(target())
    const inner = keep(connect(Number(port), hostname))
    // A connection that is reset behind the front is reset before it too.
    inner.on('error', () => socket.resetAndDestroy())
    plain.on('error', () => inner.destroy()).on('close', () => inner.destroy())
    inner.on('close', () => plain.end())
    plain.pipe(inner).pipe(plain)
  }
  const failures: Record<ConnectionFault, (socket: Socket) => unknown> = {
    none: passOn,
    'reset at once': (socket) => socket.resetAndDestroy(),
    'reset after the first bytes': (socket) => socket.once('data', () => socket.resetAndDestroy()),
    'closed after the first bytes': (socket) => socket.once('data', () => socket.end()),
    'speaks another protocol': (socket) => socket.once('data', () => socket.end(answerOf[scheme])),
  }
  let connections = 0
  const server = createServer((socket) => {
    keep(socket)
    const handle = connections++ === 0 ? failures[fault] : passOn
    handle(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

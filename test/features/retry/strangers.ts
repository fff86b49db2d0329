import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { generate } from 'selfsigned'

/** An origin that no request ever gets into. */
export interface Stranger {
  origin: string
  /** Connections that are open. */
  connections: () => number
  close(): Promise<unknown>
}

async function listening(server: Server, scheme: 'http' | 'https'): Promise<Stranger> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  }
  return { origin: `${scheme}://127.0.0.1:${port}`, connections: () => sockets.size, close }
}

/** Made once: keys take their time. */
let certificate: ReturnType<typeof generate> | undefined

export const strangers = {
  /** Nobody listens there, and nobody will: the port is that of a connection's other end. */
  nobody: async (): Promise<Stranger> => {
    const taker = await listening(createSocketServer(), 'http')
    const socket = connect(Number(new URL(taker.origin).port), '127.0.0.1')
    await once(socket, 'connect')
    const close = () => {
      socket.destroy()
      return taker.close()
    }
    return { origin: `http://127.0.0.1:${socket.localPort}`, connections: () => 0, close }
  },
  /** Its certificate is its own. */
  untrusted: async (): Promise<Stranger> => {
    certificate ??= generate([{ name: 'commonName', value: 'localhost' }])
    const { private: key, cert } = await certificate
    return listening(createTlsServer({ key, cert }), 'https')
  },
  /** It takes connections, reads, and never says a word, so that no TLS comes about. */
  mute: (): Promise<Stranger> =>
    listening(
      createSocketServer((socket) => socket.resume()),
      'https',
    ),
}

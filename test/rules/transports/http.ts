import { createServer } from '@svc/reference-server/core'
import { socketSender } from './by-socket.js'
import { bases, type Transport } from './transport.js'

/** HTTP over loopback. */
export const http: Transport = {
  name: 'http',
  async open(options) {
    const server = createServer({ ...options, ...bases })
    const { close, ...listening } = await server.listen()
    const sender = socketSender()
    return {
      server,
      bases: listening,
      send: sender.send,
      close() {
        sender.close()
        return close()
      },
    }
  },
}

import { createServer } from '@svc/reference-server/core'
import { sendByFetch } from './by-fetch.js'
import { bases, type Transport } from './transport.js'

/** The server's own Fetch. */
export const direct: Transport = {
  name: 'direct',
  open(options) {
    const server = createServer({ ...options, ...bases })
    return { server, bases, send: (sent) => sendByFetch(server.fetch, sent), close() {} }
  },
}

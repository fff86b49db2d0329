import { createServer } from '@svc/reference-server/core'
import { sendByValues } from './by-fetch.js'
import { bases, type Transport } from './transport.js'

/** The server's own Fetch, called as `fetch` is. */
export const direct: Transport = {
  name: 'direct',
  open(options) {
    const server = createServer({ ...options, ...bases })
    return { server, bases, send: (sent) => sendByValues(server.fetch, sent), close() {} }
  },
}

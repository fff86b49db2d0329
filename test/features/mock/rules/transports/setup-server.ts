import { createReferenceServer } from '@svc/reference-server'
import { setupServer } from 'msw/node'
import { sendByFetch } from './by-fetch.js'
import { bases, type Transport } from './transport.js'

const interceptor = setupServer()

/** The global `fetch` of Node with MSW in its way. */
export const mswServer: Transport = {
  name: 'setupServer',
  start: () => interceptor.listen({ onUnhandledRequest: 'error' }),
  stop: () => interceptor.close(),
  open(options) {
    const server = createReferenceServer({ ...options, ...bases })
    interceptor.use(...server.handlers)
    return {
      server,
      bases,
      // Looked up at each call: it is another one while MSW listens.
      send: (sent) => sendByFetch((request) => fetch(request), sent),
      close: () => interceptor.resetHandlers(),
    }
  },
}

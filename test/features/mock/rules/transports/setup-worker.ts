import { createReferenceServer } from '@svc/reference-server'
import { setupWorker } from 'msw/browser'
import { sendByFetch } from './by-fetch.js'
import { bases, type Transport } from './transport.js'

const worker = setupWorker()

/** The `fetch` of a page with MSW's service worker in its way. */
export const mswWorker: Transport = {
  name: 'setupWorker',
  start: () => worker.start({ quiet: true, onUnhandledRequest: 'bypass' }),
  stop: () => worker.stop(),
  open(options) {
    const server = createReferenceServer({ ...options, ...bases })
    worker.use(...server.handlers)
    return {
      server,
      bases,
      send: (sent) => sendByFetch((request) => fetch(request), sent),
      close: () => worker.resetHandlers(),
    }
  },
}

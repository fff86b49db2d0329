// The reference server in the page: a service worker passes the requests of the page to it.
import { createReferenceServer } from '@svc/reference-server'
import { setupWorker } from 'msw/browser'

export const server = createReferenceServer({ baseUrl: 'https://svc.test' })
export const worker = setupWorker(...server.handlers)

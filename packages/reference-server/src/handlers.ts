import { type HttpHandler, HttpResponse, http } from 'msw'
import type { ServerOptions } from './options.js'
import { createServer, type ReferenceServer } from './server.js'

/** A server with its MSW handlers: `setupServer(...server.handlers)`. */
export interface ReferenceServerWithHandlers extends ReferenceServer {
  /** Handlers of every URL below the base URLs, those of `listen` included; MSW passes all others through. */
  readonly handlers: HttpHandler[]
}

/** Create a server with MSW handlers over the same world. */
export function createReferenceServer(options: ServerOptions = {}): ReferenceServerWithHandlers {
  const server = createServer(options)
  const handlers = [
    // A predicate: MSW's path patterns throw on invalid percent-encoding, ignore case, and do not answer HEAD.
    http.all(
      ({ request }) => server.owns(request.url),
      // MSW answers other errors with a 500 and the stack.
      ({ request }) => server.fetch(request).catch(() => HttpResponse.error()),
    ),
  ]
  return { ...server, handlers }
}

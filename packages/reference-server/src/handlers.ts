import { type HttpHandler, HttpResponse, http } from 'msw'
import type { ServerOptions } from './options.js'
import { createServer, type ReferenceServer } from './server.js'

/** A server with its MSW handlers: `setupServer(...server.handlers)`. */
export interface ReferenceServerWithHandlers extends ReferenceServer {
  /** One for every URL under the bases, those of what listens too; MSW passes all others by. */
  readonly handlers: HttpHandler[]
}

/** Makes a server, and handlers for MSW over the same world. */
export function createReferenceServer(options: ServerOptions = {}): ReferenceServerWithHandlers {
  const server = createServer(options)
  return { ...server, handlers: handlersOf(server) }
}

/**
 * They answer every URL under the bases, unknown paths too (404), and no other. A predicate in place of a pattern for each
 * path: MSW's patterns fail on broken percent-encoding, ignore case, and do not take HEAD for GET.
 */
function handlersOf({ fetch, owns }: ReferenceServer): HttpHandler[] {
  return [
    http.all(
      ({ request }) => owns(request.url),
      // What a handler throws MSW answers with a 500 and the stack; as a network error it is one, without a code.
      ({ request }) => fetch(request).catch(() => HttpResponse.error()),
    ),
  ]
}

import { type ClientOptions, createClient, type Fetch, type SvcClient } from '@svc/client'
import { type Ambiguities, createReferenceServer, referenceKey, type ServerOptions } from '@svc/reference-server'
import { type HandClock, handClock } from './hand-clock.js'
import { keepSession } from './opened-sessions.js'

/** Answers the requests of a test: a `fetch` that is only called with a Request. */
export type RequestHandler = (request: Request) => Promise<Response>

/** The `fetch` of a handler. */
export const fetchOf =
  (handler: RequestHandler): Fetch =>
  (...given) =>
    handler(new Request(...given))

/** A reference server and a client of it, joined by a Fetch: no port, no mock, and time stands still. */
export interface Session {
  server: ReturnType<typeof createReferenceServer>
  svc: SvcClient
  clock: HandClock
  /** Another client of the same server, as with another key. */
  client(options?: Omit<ClientOptions, 'fetch'> & { fetch?: RequestHandler | undefined }): SvcClient
  /** The `fetch` of the client; a test may put a handler between client and server. */
  fetch: RequestHandler
  /** Every answer that the server has given, and its readings then, for the check against the spec. */
  exchanges: { request: Request; response: Response; ambiguities: Ambiguities }[]
}

export function createSession(options: ServerOptions = {}): Session {
  const clock = handClock()
  const baseUrl = 'https://svc.test'
  const server = createReferenceServer({ clock, baseUrl, ...options })
  const exchanges: Session['exchanges'] = []
  const fetch: RequestHandler = async (request) => {
    const ambiguities = server.ambiguities.current
    const response = await server.fetch(request)
    exchanges.push({ request, response: response.clone(), ambiguities })
    return response
  }
  const { publicBaseUrl } = server
  const client: Session['client'] = (more = {}) =>
    // The service is to judge: a client that refuses bad input beforehand would hide what it says.
    createClient({
      apiKey: referenceKey,
      baseUrl,
      publicBaseUrl,
      clock,
      environment: {},
      validate: false,
      ...more,
      fetch: fetchOf(more.fetch ?? fetch),
    })
  const session = { server, svc: client(), clock, client, fetch, exchanges }
  keepSession(session)
  return session
}

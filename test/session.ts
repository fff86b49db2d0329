import { type ClientOptions, createClient, type SvcClient } from '@svc/client'
import { createReferenceServer, referenceKey, type ServerOptions } from '@svc/reference-server'
import { type HandClock, handClock } from './hand-clock.js'

/** A reference server and a client of it, joined by a Fetch: no port, no mock, and time stands still. */
export interface Session {
  server: ReturnType<typeof createReferenceServer>
  svc: SvcClient
  clock: HandClock
  /** Another client of the same server, as with another key. */
  client(options?: ClientOptions): SvcClient
  /** Every answer that the server has given, for the check against the spec. */
  exchanges: { request: Request; response: Response }[]
}

const opened: Session[] = []

/** The sessions that were opened since this was last asked. */
export const takeSessions = (): Session[] => opened.splice(0)

export function createSession(options: ServerOptions = {}): Session {
  const clock = handClock()
  const server = createReferenceServer({ clock, ...options })
  const exchanges: Session['exchanges'] = []
  const client = (more: ClientOptions = {}) =>
    createClient({
      apiKey: referenceKey,
      baseUrl: server.baseUrl,
      publicBaseUrl: server.publicBaseUrl,
      allowHttp: true,
      clock,
      environment: {},
      fetch: async (request) => {
        const response = await server.fetch(request)
        exchanges.push({ request, response: response.clone() })
        return response
      },
      ...more,
    })
  const session = { server, svc: client(), clock, client, exchanges }
  opened.push(session)
  return session
}

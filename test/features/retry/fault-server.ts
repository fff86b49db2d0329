import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createReferenceServer, type ServerOptions } from '@svc/reference-server'
import type { HandClock } from '../../helpers/hand-clock.js'

/** One request as it stands before the server, and what an act may do about it. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  clock: HandClock
  /** Another origin, to which a caller may be sent. */
  elsewhere: string
  /** The whole body; it is read only when somebody asks. */
  body(): Promise<Buffer>
  /** Passes the request on to the reference server, which may store it, and returns the answer. */
  service(): Promise<Response>
  /**
   * Says that nothing more will come, so that time may pass; `afterHead` when the client is to see the head first. The
   * returned function takes it back.
   */
  hold(afterHead?: 'afterHead'): () => void
}

/** Handles a request: with an answer, or with a fault. */
export type Act = (exchange: Exchange) => unknown

/** Answers as the service does. */
export const passOn: Act = async ({ service, response }) => {
  const answer = await service()
  const headers = [...answer.headers].filter(([name]) => name !== 'date')
  response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()))
}

/** One request that came, with the milliseconds since the server began. */
export interface Seen {
  method: string
  path: string
  at: number
  authorization: string | undefined
  /** Bytes of the body that were read. */
  bytes: number
}

/** A server on a real port of loopback: what is scripted is done, the rest is passed on to a reference server. */
export async function openFaultServer({
  clock,
  script,
  scripted,
  elsewhere = '',
  onHeldHead = () => {},
  ...options
}: {
  clock: HandClock
  /** The acts for the scripted requests in turn; the last one repeats. */
  script: Act[]
  scripted: (request: IncomingMessage) => boolean
  elsewhere?: string
  /** Reported just before a head is sent whose body will stall. */
  onHeldHead?: () => void
} & ServerOptions) {
  const startedAt = clock.now()
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const underWay = new Set<IncomingMessage>()
  const counts = { scripted: 0, working: 0, held: 0 }

  const http = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    const entry: Seen = { method, path, at: clock.now() - startedAt, authorization: headers.authorization, bytes: 0 }
    seen.push(entry)
    counts.working++
    underWay.add(request)
    response.once('close', () => {
      counts.working--
      underWay.delete(request)
    })
    response.sendDate = false
    response.setHeader('date', new Date(clock.now()).toUTCString())
    // A late reset without a listener would end the process.
    request.on('error', () => {})
    request.once('data', () => request.on('data', (chunk: Buffer) => (entry.bytes += chunk.length)))
    request.pause()
    let reading: Promise<Buffer> | undefined
    const body = () => {
      reading ??= buffer(request)
      return reading
    }
    const exchange: Exchange = {
      request,
      response,
      clock,
      elsewhere,
      body,
      service: async () => {
        const bytes = await body()
        const sent = bytes.length > 0 ? { body: new Uint8Array(bytes) } : {}
        return service.fetch(
          new Request(origin + path, { method, headers: headers as Record<string, string>, ...sent }),
        )
      },
      hold: (afterHead) => {
        counts.held++
        if (afterHead) onHeldHead()
        return () => {
          counts.held--
        }
      },
    }
    const act = scripted(request) ? (script[counts.scripted++] ?? script.at(-1)) : undefined
    Promise.resolve((act ?? passOn)(exchange)).catch(() => response.destroy())
  })
  http.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const service = createReferenceServer({ clock, baseUrl: origin, ...options })

  return {
    origin,
    service,
    seen,
    counts,
    /** Reads what is left unread, without which a server does not learn that the caller hung up. */
    readOn() {
      for (const request of underWay) request.resume()
    },
    /** Connections that are open, busy or not. */
    connections: () => sockets.size,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

export type FaultServer = Awaited<ReturnType<typeof openFaultServer>>

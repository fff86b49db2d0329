import { type Head, NodeConnection, opened, type Peer, type Written } from './node-connection.js'

/** Connections by where they lead to, kept for a while between two exchanges. */
export interface Pool {
  /**
   * Sends a request to an origin, as in `https://svc.example:8443`. `begun` is given what ends the exchange; it is given
   * another way to when there is a connection.
   */
  send(origin: string, request: Written, begun: (stop: (error: Error) => void) => void): Promise<Head>
  /** Whether a connection outlives its exchange. */
  readonly keeps: boolean
  /** Resolves when the exchanges under way have ended and no connection is left. Those that follow keep none. */
  close(): Promise<void>
}

/** A clock that costs nothing to start: Node loads several modules for `performance`. */
export const uptimeMs = (): number => process.uptime() * 1_000

interface Place extends Peer {
  idle: NodeConnection[]
}

export function createPool({ connectTimeoutMs, idleMs }: { connectTimeoutMs: number; idleMs: number }): Pool {
  const places = new Map<string, Place>()
  let keeps = true
  /** Exchanges under way, and connections that are there. */
  let busy = 0
  let alive = 0
  let over = () => {}

  const look = () => {
    if (busy === 0 && alive === 0) over()
  }

  const kept = (place: Place): NodeConnection | undefined => {
    const now = uptimeMs()
    for (let last = place.idle.pop(); last; last = place.idle.pop()) {
      if (last.isOpen && !isOld(last, now)) return last
      last.destroy()
    }
    return undefined
  }

  /** An exchange has ended with what a connection can go on, or the connection has. */
  const settled = (place: Place) => (connection: NodeConnection, mayGoOn: boolean) => {
    if (!mayGoOn) {
      const at = place.idle.indexOf(connection)
      if (at >= 0) place.idle.splice(at, 1)
    } else if (!keeps || connection.keepMs === 0) connection.destroy()
    else {
      connection.idleSince = uptimeMs()
      connection.hold(false)
      place.idle.push(connection)
    }
  }

  const connected = async (place: Place, begun: (stop: (error: Error) => void) => void): Promise<NodeConnection> => {
    const socket = await opened(place, connectTimeoutMs, (fresh) => {
      alive++
      fresh.once('close', () => {
        alive--
        look()
      })
      begun((error) => fresh.destroy(error))
    })
    return new NodeConnection(socket, idleMs, settled(place))
  }

  return {
    get keeps() {
      return keeps
    },
    async send(origin, request, begun) {
      let place = places.get(origin)
      if (!place) {
        place = placeOf(origin)
        places.set(origin, place)
      }
      busy++
      const ended = () => {
        busy--
        request.ended?.()
        look()
      }
      let connection = kept(place)
      if (connection) connection.hold(true)
      else {
        try {
          connection = await connected(place, begun)
        } catch (error) {
          ended()
          throw error
        }
      }
      const taken = connection
      begun((error) => taken.destroy(error))
      return taken.send({ ...request, ended })
    },
    close() {
      keeps = false
      for (const { idle } of places.values()) for (const connection of idle) connection.destroy()
      return new Promise((resolve) => {
        over = resolve
        look()
      })
    },
  }
}

const isOld = ({ idleSince, keepMs }: NodeConnection, now: number): boolean => now - idleSince >= keepMs

function placeOf(origin: string): Place {
  const { protocol, hostname, port } = new URL(origin)
  const secure = protocol === 'https:'
  return {
    secure,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    idle: [],
  }
}

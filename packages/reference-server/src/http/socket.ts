import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, type Clock, systemClock } from '../clock.js'
import { bytesOf, type DeliveryFault, firstBytes, type OutgoingResponse } from '../http-messages.js'
import { drip } from './fetch.js'

/** How long a socket is read after its last response, so that the client sees the response and no reset. */
export const lingerMs = 1000

const callbacksAt = {
  close: new WeakMap<Socket, Set<() => void>>(),
  end: new WeakMap<Socket, Set<() => void>>(),
}

const transports = new WeakMap<Socket, Socket>()

/** Remember the socket below one that is encrypted: only that one can be reset. */
export const keepTransport = (socket: Socket, transport: Socket): void => void transports.set(socket, transport)

/** The scheme of the requests on a socket. */
export const schemeOf = (socket: Socket): 'http' | 'https' => (transports.has(socket) ? 'https' : 'http')

/** Call back at an event of a socket that comes once. Returns a function that cancels it. */
function whenOnce(socket: Socket, event: 'close' | 'end', callback: () => void): () => void {
  let callbacks = callbacksAt[event].get(socket)
  if (!callbacks) {
    // One listener for all: a client may pipeline a hundred requests, and Node warns of more than ten listeners.
    const all = new Set<() => void>()
    socket.once(event, () => {
      for (const each of all) each()
    })
    callbacksAt[event].set(socket, all)
    callbacks = all
  }
  callbacks.add(callback)
  return () => callbacks.delete(callback)
}

/** Call back when a socket closes. Returns a function that cancels it. */
export const whenClosed = (socket: Socket, callback: () => void): (() => void) => whenOnce(socket, 'close', callback)

/** Call back when the client ends its half of the connection; at once if it has. Returns a function that cancels it. */
export function whenEnded(socket: Socket, callback: () => void): () => void {
  if (!socket.readableEnded) return whenOnce(socket, 'end', callback)
  callback()
  return () => {}
}

/** Call back after the earlier responses on the same socket are written. */
export function afterEarlierResponses(response: ServerResponse, callback: () => void): void {
  if (response.socket) callback()
  // Buffered writes of the response are sent between the event and the next microtask.
  else response.once('socket', () => queueMicrotask(callback))
}

/** End a socket after its pending writes and `text`, and discard what the client still sends. */
export function endGracefully(socket: Socket, text = ''): void {
  const cancel = after(systemClock, lingerMs, () => socket.destroy())
  whenClosed(socket, cancel)
  socket.resume()
  socket.end(text)
}

/** Sockets of responses that are held back by a fault, until the client closes or the server stops. */
export class HeldSockets {
  readonly #sockets = new Set<Socket>()
  #isStopped = false

  /** Hold a socket until it closes. Returns a function that releases it. */
  hold(socket: Socket): () => void {
    const release = () => void this.#sockets.delete(socket)
    this.#sockets.add(socket)
    whenClosed(socket, release)
    if (this.#isStopped) socket.destroy()
    return release
  }

  /** Destroy every held socket, now and from now on. */
  stop(): void {
    this.#isStopped = true
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Send a response with a delivery fault, after the earlier responses on the same socket. */
export function sendFaulty(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: OutgoingResponse,
  fault: DeliveryFault,
  clock: Clock,
  held: HeldSockets,
): void {
  const { socket } = request
  if (socket.destroyed) return
  // Unread bytes would hide that the client closes, and would turn an end into a reset.
  request.resume()
  if (!('bytes' in fault)) {
    if (fault.kind === 'hang') holdForClient(socket, held)
    else afterEarlierResponses(response, () => (fault.kind === 'reset' ? reset(socket) : endGracefully(socket)))
    return
  }

  const bytes = bytesOf(body)
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': bytes.byteLength })
  response.flushHeaders()
  const content = status === 204 || request.method === 'HEAD' ? new Uint8Array() : bytes
  if (fault.kind === 'drip') return void sendDripping(response, content, fault, clock, holdForClient(socket, held))
  if (content.byteLength > 0) response.write(firstBytes(content, fault.bytes))
  if (fault.kind === 'stall') holdForClient(socket, held)
  else afterEarlierResponses(response, () => endGracefully(socket))
}

/** Hold a socket until the client ends its half of the connection. Returns a function that releases it. */
function holdForClient(socket: Socket, held: HeldSockets): () => void {
  const releases = [held.hold(socket), whenEnded(socket, () => socket.end())]
  return () => {
    for (const release of releases) release()
  }
}

async function sendDripping(
  response: ServerResponse,
  body: Uint8Array,
  fault: Extract<DeliveryFault, { kind: 'drip' }>,
  clock: Clock,
  release: () => void,
): Promise<void> {
  const { socket } = response.req
  const closed = new AbortController()
  if (socket.destroyed) closed.abort()
  const forget = whenClosed(socket, () => closed.abort())
  try {
    for await (const piece of drip(body, fault, closed.signal, clock)) response.write(piece)
    release()
    response.end()
  } catch {
    // The socket has closed.
  } finally {
    forget()
  }
}

function reset(socket: Socket): void {
  try {
    ;(transports.get(socket) ?? socket).resetAndDestroy()
  } catch {
    // A Unix socket has no reset.
    socket.destroy()
  }
}

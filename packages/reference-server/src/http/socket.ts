import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, type Clock, systemClock } from '../clock.js'
import { bytesOf, type DeliveryFault, drip, firstBytes, type OutgoingResponse } from '../http-messages.js'

/** How long a socket that has said its last word is read on, so that the caller sees the word and no reset. */
export const lingerMs = 1000

const watched = new WeakMap<Socket, Set<() => void>>()

/** Calls back when a socket has closed; gives a function that takes it back. */
export function whenClosed(socket: Socket, callback: () => void): () => void {
  let callbacks = watched.get(socket)
  if (!callbacks) {
    // One listener for all: a caller may have a hundred calls under way on one socket, and Node warns of eleven listeners.
    const all = new Set<() => void>()
    socket.once('close', () => {
      for (const each of all) each()
    })
    watched.set(socket, all)
    callbacks = all
  }
  callbacks.add(callback)
  return () => callbacks.delete(callback)
}

/** Calls back once the answers before this one are written. */
export function afterEarlierResponses(response: ServerResponse, callback: () => void): void {
  if (response.socket) callback()
  // What was written to the response in the meantime goes out between the event and the next microtask.
  else response.once('socket', () => queueMicrotask(callback))
}

/** Ends a socket after what was written to it, and reads away what still comes. */
export function endGracefully(socket: Socket, lastWords = ''): void {
  const cancel = after(systemClock, lingerMs, () => socket.destroy())
  whenClosed(socket, cancel)
  socket.resume()
  socket.end(lastWords)
}

/** Answers that are held back on purpose, until the caller goes or the server closes. */
export class HeldSockets {
  readonly #ends = new Set<() => void>()
  #isOver = false

  /** Keeps a socket until it closes; gives a function that lets go of it. */
  hold(socket: Socket): () => void {
    const end = () => socket.destroy()
    const release = () => {
      this.#ends.delete(end)
      forget()
    }
    const forget = whenClosed(socket, release)
    this.#ends.add(end)
    if (this.#isOver) end()
    return release
  }

  /** Cuts what is held, and what will be. */
  endAll(): void {
    this.#isOver = true
    for (const end of this.#ends) end()
  }
}

/** Lets an answer fail to arrive, after the answers before it on the same socket. */
export function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  answer: OutgoingResponse,
  delivery: DeliveryFault,
  clock: Clock,
  held: HeldSockets,
): void {
  const { socket } = request
  if (socket.destroyed) return
  // Unread bytes would hide that the caller goes, and would make an end look like a reset.
  request.resume()
  if (!('bytes' in delivery)) {
    if (delivery.kind === 'hang') held.hold(socket)
    else afterEarlierResponses(response, () => (delivery.kind === 'reset' ? reset(socket) : endGracefully(socket)))
    return
  }
  const body = bytesOf(answer.body)
  const hasNoBody = answer.status === 204 || request.method === 'HEAD'
  const length = answer.status === 204 ? undefined : { 'content-length': body.byteLength }
  response.writeHead(answer.status, { ...answer.headers, ...length })
  if (delivery.kind === 'drip')
    return dripTo(response, hasNoBody ? new Uint8Array() : body, delivery, clock, held.hold(socket))
  response.flushHeaders()
  if (!hasNoBody) response.write(firstBytes(body, delivery.bytes))
  if (delivery.kind === 'stall') held.hold(socket)
  else afterEarlierResponses(response, () => endGracefully(socket))
}

function dripTo(
  response: ServerResponse,
  body: Uint8Array,
  delivery: Extract<DeliveryFault, { kind: 'drip' }>,
  clock: Clock,
  release: () => void,
): void {
  const { socket } = response.req
  if (socket.destroyed) return
  const stop = drip(body, delivery, clock, (piece, isLast) => {
    if (!isLast) return void response.write(piece)
    release()
    response.end(piece)
  })
  const forget = whenClosed(socket, stop)
  response.once('finish', forget)
}

function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    // A Unix socket has no reset.
    socket.destroy()
  }
}

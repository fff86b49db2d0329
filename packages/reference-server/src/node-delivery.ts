import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer, Delivery } from './call.js'
import type { Clock } from './clock.js'
import { bytesOf, drip, firstBytes } from './delivery.js'
import { endSoftly, type HeldAnswers, whenClosed, whenInTurn } from './node-socket.js'

/** Lets an answer fail to arrive, after the answers before it on the same socket. */
export function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  delivery: Delivery,
  clock: Clock,
  held: HeldAnswers,
): void {
  const { socket } = request
  if (socket.destroyed) return
  // Unread bytes would hide that the caller goes, and would make an end look like a reset.
  request.resume()
  if (!('bytes' in delivery)) {
    if (delivery.kind === 'hang') held.hold(socket)
    else whenInTurn(response, () => (delivery.kind === 'reset' ? reset(socket) : endSoftly(socket)))
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
  else whenInTurn(response, () => endSoftly(socket))
}

function dripTo(
  response: ServerResponse,
  body: Uint8Array,
  delivery: Extract<Delivery, { kind: 'drip' }>,
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

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTarget } from '../bases.js'
import { type Clock, httpDate } from '../clock.js'
import {
  ClientClosedRequest,
  type IncomingRequest,
  internalError,
  type OutgoingResponse,
  refusalResponse,
} from '../http-messages.js'
import { Refusal } from '../refusal.js'
import type { Surface } from '../types.js'
import { tooLarge } from '../validation/index.js'
import { join } from './fetch.js'
import { afterEarlierResponses, deliver, endGracefully, type HeldSockets, lingerMs, whenClosed } from './socket.js'

/** An unread body up to this size is read away to keep the connection. */
const drainBytes = 64 * 1024
/**
 * A larger one closes it, after a while, so that the caller sees the answer and no reset. In the meantime it is read away
 * in gulps: a caller whose bytes are all taken at once may not look for an answer before they are not.
 */
const gulpBytes = 4 * 2 ** 20
const betweenGulpsMs = 10

/** The answer to `OPTIONS *`, which asks for no path but for the server as a whole (RFC 9110, 9.3.7). */
export const serverOptionsResponse: OutgoingResponse = {
  status: 204,
  headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  body: '',
}

/** What the calls of one listening server share. */
export interface ListenerState {
  clock: Clock
  held: HeldSockets
  isClosing: boolean
}

/** A call from a socket. Signal, listeners and buffers are created when they are asked for. */
export class SocketRequest implements IncomingRequest {
  readonly method: string
  readonly surface: Surface
  readonly path: string
  readonly query: string
  rejection: Refusal | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #expectsContinue: boolean
  #signal: AbortSignal | undefined
  #body: BodyReading | undefined
  #broken: Refusal | ClientClosedRequest | undefined
  #isAnswered = false

  constructor(request: IncomingMessage, response: ServerResponse, target: RequestTarget, expectsContinue: boolean) {
    this.method = request.method ?? 'GET'
    this.surface = target.surface
    this.path = target.path
    this.query = target.query
    this.#request = request
    this.#response = response
    this.#expectsContinue = expectsContinue
  }

  header(name: string): string | null {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : null
  }

  readBody(limit: number): Promise<Uint8Array> {
    if (this.#broken) return Promise.reject(this.#broken)
    if (this.#expectsContinue) this.#response.writeContinue()
    if (!this.#body) return this.#reading(limit).bytes
    return this.#body.bytes.then((bytes) => {
      if (bytes.byteLength > limit) throw tooLarge(limit)
      return bytes
    })
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    this.#signal = goneSignal(this.#request, this.#response)
    // As long as a body waits to be read, Node does not report that its caller is gone.
    if (!this.#body && !this.#isAnswered) this.#reading().bytes.catch(() => {})
    return this.#signal
  }

  #reading(limit?: number): BodyReading {
    this.#body = readBody(this.#request, limit)
    return this.#body
  }

  /** Whether the last byte of the request has come. */
  get isComplete(): boolean {
    return this.#request.complete
  }

  /** The rest of the body will not come. Who waits for it is told why, and the connection closes after the answer. */
  abort(reason: Refusal | ClientClosedRequest): void {
    this.#broken = reason
    if (!this.#isAnswered) return this.#body?.breakOff(reason)
    // An answer that has begun, or that is held back, cannot become another. The answers before it are delivered first.
    const end = () => endGracefully(this.#request.socket)
    if (this.isFinished) end()
    else afterEarlierResponses(this.#response, end)
  }

  /** Whether the answer is written, or cannot be any more. */
  get isFinished(): boolean {
    return this.#response.writableFinished || this.#response.destroyed
  }

  /** Closes the connection without an answer. */
  destroy(): void {
    this.#response.destroy()
  }

  whenFinished(callback: () => void): void {
    if (this.isFinished) callback()
    else this.#response.once('close', callback)
  }

  /** Writes the answer, or lets it fail to arrive. */
  respond(answer: OutgoingResponse, { clock, held, isClosing }: ListenerState): void {
    const [request, response] = [this.#request, this.#response]
    if (response.destroyed || this.#isAnswered) return
    this.#isAnswered = true
    // A call is kept until the next one of its connection comes; its body is not.
    if (!this.isComplete) this.#body?.breakOff(new ClientClosedRequest('The request is answered.'))
    this.#body = undefined
    // After a request that asks for an upgrade and gets none, Node's parser says nothing of the errors that follow.
    const closes = isClosing || this.#broken !== undefined || request.headers.upgrade !== undefined
    // Who ends a request too early may have closed only one half of the connection, and still listen.
    const whole =
      answer.status === 499 ? refusalResponse(this.surface, new Refusal(400, 'The request ended too early.')) : answer
    try {
      if (answer.delivery) deliver(request, response, answer, answer.delivery, clock, held)
      else write(request, response, dated(whole, clock), closes)
    } catch {
      write(request, response, dated(internalError(this.surface), clock), true)
    }
  }
}

function goneSignal({ socket }: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (socket.destroyed) controller.abort()
  else
    response.once(
      'finish',
      whenClosed(socket, () => controller.abort()),
    )
  return controller.signal
}

/** An answer to a request that never reached the router has the date of the server, too. */
const dated = (answer: OutgoingResponse, clock: Clock): OutgoingResponse => ({
  ...answer,
  headers: { date: httpDate(clock.now()), ...answer.headers },
})

/** Writes an answer, and sees to the body that was not read. */
function write(request: IncomingMessage, response: ServerResponse, answer: OutgoingResponse, closes: boolean): void {
  const { status, headers, body } = answer
  const leavesMuch = hasMuchUnread(request)
  const hasNoLength = status === 204
  response.writeHead(status, {
    ...headers,
    ...(hasNoLength ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...(closes || leavesMuch ? { connection: 'close' } : {}),
  })
  const text = hasNoLength || request.method === 'HEAD' ? '' : body
  // What is small Node reads away by itself, and the connection stays.
  if (!leavesMuch) return void response.end(text)
  // `end` would make Node destroy the socket with bytes unread, and the caller would see a reset in place of the answer.
  if (text === '') response.flushHeaders()
  else response.write(text)
  linger(request, () => response.end())
}

function hasMuchUnread({ headers, complete, readableEnded, socket }: IncomingMessage): boolean {
  if (readableEnded || complete || socket.readableEnded) return false
  if (headers['transfer-encoding'] !== undefined) return true
  const declared = Number(headers['content-length'] ?? 0)
  // A caller who waits for 100 Continue may never send the body, and its next request could not be told from it.
  return declared > drainBytes || (declared > 0 && headers.expect !== undefined)
}

function linger(request: IncomingMessage, done: () => void): void {
  let left = gulpBytes
  let breath: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    clearTimeout(breath)
    request.off('data', discard)
    request.off('end', stop)
    request.off('close', stop)
    done()
  }
  const goOn = () => {
    left = gulpBytes
    request.resume()
  }
  const discard = (chunk: Uint8Array) => {
    left -= chunk.byteLength
    if (left >= 0) return
    request.pause()
    clearTimeout(breath)
    breath = setTimeout(goOn, betweenGulpsMs)
  }
  const timer = setTimeout(stop, lingerMs)
  request.on('data', discard).on('end', stop).on('close', stop)
  request.resume()
}

/** The body of a request while it is read. */
interface BodyReading {
  bytes: Promise<Uint8Array>
  /** Gives up: `bytes` rejects with the reason. */
  breakOff(reason: Error): void
}

/** Made here, as one made while reading would keep the body for as long as its connection. */
const nothing = () => {}

/** A body that is read ahead of its limit is held back beyond so many bytes. */
const aheadBytes = 64 * 2 ** 20

/**
 * Reads a body from its socket, and refuses it once it is over `limit` bytes. Node does not report that a caller is gone
 * as long as bytes before that wait to be read.
 */
function readBody(request: IncomingMessage, limit = aheadBytes): BodyReading {
  let breakOff: (reason: Error) => void = () => {}
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const settle = () => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone)
      // A late error of the socket without a listener would end the process.
      request.on('error', nothing)
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > limit) breakOff(tooLarge(limit))
    }
    const end = () => {
      settle()
      resolve(join(chunks, length))
    }
    const gone = () => breakOff(new ClientClosedRequest('The connection closed before the end of the body.'))
    breakOff = (reason) => {
      settle()
      reject(reason)
    }
    request.on('data', take).on('end', end).on('close', gone).on('error', gone)
  })
  return { bytes, breakOff: (reason) => breakOff(reason) }
}

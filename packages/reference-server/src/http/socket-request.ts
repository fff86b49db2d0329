import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTarget } from '../bases.js'
import { after, httpDate, systemClock } from '../clock.js'
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
import { type EdgeParts, join } from './fetch.js'
import {
  afterEarlierResponses,
  endGracefully,
  type HeldSockets,
  lingerMs,
  schemeOf,
  sendFaulty,
  whenClosed,
  whenEnded,
} from './socket.js'

/** The connection is kept after an unread body of at most this size. */
const drainBytes = 64 * 1024

/** The response to `OPTIONS *` (RFC 9110, 9.3.7). */
export const serverOptionsResponse: OutgoingResponse = {
  status: 204,
  headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  body: '',
}

export interface ListenerState extends EdgeParts {
  held: HeldSockets
  isClosing: boolean
}

/** A request from a socket. Its signal, listeners and buffers are created on first use. */
export class SocketRequest implements IncomingRequest {
  readonly edge = 'http'
  readonly method: string
  readonly scheme: 'http' | 'https'
  readonly surface: Surface
  readonly path: string
  readonly query: string
  rejection: Refusal | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #expectsContinue: boolean
  #signal: AbortSignal | undefined
  #body: BodyReader | undefined
  #aborted: Refusal | ClientClosedRequest | undefined
  #isAnswered = false

  constructor(request: IncomingMessage, response: ServerResponse, target: RequestTarget, expectsContinue: boolean) {
    this.method = request.method ?? 'GET'
    this.scheme = schemeOf(request.socket)
    this.surface = target.surface
    this.path = target.path
    this.query = target.query
    this.#request = request
    this.#response = response
    this.#expectsContinue = expectsContinue
  }

  readonly header = (name: string): string | null => {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : null
  }

  headers(): Record<string, string> {
    const copy: Record<string, string> = {}
    for (const [name, value = ''] of Object.entries(this.#request.headers))
      copy[name] = typeof value === 'string' ? value : value.join(', ')
    return copy
  }

  async readBody(limit: number): Promise<Uint8Array> {
    if (this.#aborted) throw this.#aborted
    if (this.#expectsContinue) this.#response.writeContinue()
    this.#expectsContinue = false
    this.#body ??= readBody(this.#request, limit)
    const bytes = await this.#body.bytes
    if (bytes.byteLength > limit) throw tooLarge(limit)
    // Nothing is stored for a client that has gone.
    if (this.#request.socket.destroyed) throw new ClientClosedRequest()
    return bytes
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    this.#signal = closeSignal(this.#request, this.#response)
    // While a body waits to be read, Node does not report that the client has closed.
    if (!this.#body && !this.#isAnswered) {
      this.#body = readBody(this.#request, readAheadBytes)
      this.#body.bytes.catch(() => {})
    }
    return this.#signal
  }

  /** True if the last byte of the request has arrived. */
  get isComplete(): boolean {
    return this.#request.complete
  }

  /** The rest of the body will not arrive: reject its readers, and close the connection after the response. */
  abort(reason: Refusal | ClientClosedRequest): void {
    this.#aborted = reason
    if (!this.#isAnswered) return this.#body?.abort(reason)
    const end = () => endGracefully(this.#request.socket)
    if (this.isFinished) end()
    else afterEarlierResponses(this.#response, end)
  }

  get isFinished(): boolean {
    return this.#response.writableFinished || this.#response.destroyed
  }

  /** True if the whole request has arrived, and its response is still to be sent. */
  get isPending(): boolean {
    return this.isComplete && !this.isFinished
  }

  destroy(): void {
    this.#response.destroy()
  }

  whenFinished(callback: () => void): void {
    if (this.isFinished) callback()
    else this.#response.once('close', callback)
  }

  respond(response: OutgoingResponse, { clock, ambiguities, held, isClosing }: ListenerState): void {
    if (this.#response.destroyed || this.#isAnswered) return
    this.#isAnswered = true
    // The request is kept until the next one on its connection; its body is not.
    if (!this.isComplete) this.#body?.abort(new ClientClosedRequest('The request is answered.'))
    this.#body = undefined
    // After an `Upgrade` that is not accepted, Node reports no errors of later requests.
    const closes = isClosing || this.#aborted !== undefined || this.#request.headers.upgrade !== undefined
    const { dateHeader, errorBody } = ambiguities()
    // Node would add the date of the system clock.
    this.#response.sendDate = false
    const send = (message: OutgoingResponse, close: boolean) => {
      // A response that did not come from the router has no date yet.
      const date = message.headers.date ?? (dateHeader ? httpDate(clock.now()) : undefined)
      write(this.#request, this.#response, message, date, close)
    }
    try {
      if (response.delivery) sendFaulty(this.#request, this.#response, response, response.delivery, clock, held)
      // A client that closed only its half of the connection can still read this.
      else if (response.status === 499)
        send(refusalResponse(this.surface, new Refusal(400, 'The request ended too early.'), errorBody), closes)
      else send(response, closes)
    } catch {
      send(internalError(this.surface, errorBody), true)
    }
  }
}

/** How long after the first probe of a client the second one is sent. */
const probeMs = 100

/**
 * Aborted when the client has gone. One that has ended its half of the connection may still read: an interim response makes the
 * system of one that does not reset the connection, and the next write fails.
 */
function closeSignal({ socket, httpVersion }: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  let cancelSecond = () => {}
  const abort = () => {
    cancelSecond()
    controller.abort()
  }
  const probe = () => {
    // HTTP/1.0 has no interim responses.
    if (httpVersion === '1.0') abort()
    else if (!response.headersSent) response.writeContinue()
  }
  const probeTwice = () => {
    probe()
    cancelSecond = after(systemClock, probeMs, probe)
  }
  if (socket.destroyed) abort()
  const cancels = [whenClosed(socket, abort), whenEnded(socket, probeTwice), () => cancelSecond()]
  response.once('finish', () => {
    for (const cancel of cancels) cancel()
  })
  return controller.signal
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: OutgoingResponse,
  date: string | undefined,
  closes: boolean,
): void {
  const isUnread = hasLargeUnreadBody(request)
  response.writeHead(status, {
    ...headers,
    ...(date !== undefined && { date }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...(closes || isUnread ? { connection: 'close' } : {}),
  })
  const text = status === 204 || request.method === 'HEAD' ? '' : body
  // Node discards a small body itself and keeps the connection.
  if (!isUnread) return void response.end(text)
  // `end` would destroy the socket with bytes unread, and the client would see a reset in place of the response.
  if (text === '') response.flushHeaders()
  else response.write(text)
  discardBody(request, () => response.end())
}

function hasLargeUnreadBody({ headers, complete, readableEnded, socket }: IncomingMessage): boolean {
  if (readableEnded || complete || socket.readableEnded) return false
  if (headers['transfer-encoding'] !== undefined) return true
  const declared = Number(headers['content-length'] ?? 0)
  // With `Expect: 100-continue` the body may never come, and the next request would be read as the body.
  return declared > drainBytes || (declared > 0 && headers.expect !== undefined)
}

/** How long a body is discarded at most, in milliseconds. */
const maxDiscardMs = 30_000

/** Discard a body until it ends or nothing more comes for a second. A client that writes slowly sees the response, and no reset. */
function discardBody(request: IncomingMessage, done: () => void): void {
  const stop = () => {
    for (const timer of timers) clearTimeout(timer)
    request.off('end', stop).off('close', stop).off('data', extend)
    done()
  }
  const idle = setTimeout(stop, lingerMs)
  const timers = [idle, setTimeout(stop, maxDiscardMs)]
  const extend = () => void idle.refresh()
  request.on('end', stop).on('close', stop).on('data', extend).resume()
}

interface BodyReader {
  bytes: Promise<Uint8Array>
  /** Stop reading: `bytes` rejects with the reason. */
  abort(reason: Error): void
}

/** Outside `readBody`, whose closures would keep the body as long as the connection. */
const ignore = () => {}

const readAheadBytes = 64 * 2 ** 20

/** Read a body. `bytes` rejects with a 413 as soon as it is over `limit` bytes. */
function readBody(request: IncomingMessage, limit: number): BodyReader {
  let abort: (reason: Error) => void = ignore
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const onData = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > limit) abort(tooLarge(limit))
    }
    const onEnd = () => {
      removeListeners()
      resolve(join(chunks, length))
    }
    const onClose = () => abort(new ClientClosedRequest('The connection closed before the end of the body.'))
    const removeListeners = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      // A late error of the socket without a listener would end the process.
      request.on('error', ignore)
    }
    abort = (reason) => {
      removeListeners()
      reject(reason)
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
  return { bytes, abort: (reason) => abort(reason) }
}

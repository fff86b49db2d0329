import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Target } from './bases.js'
import { tooLarge } from './body.js'
import { type Answer, type Call, CallerGone } from './call.js'
import { join } from './fetch-edge.js'
import { utf8Length } from './text.js'
import type { Surface } from './types.js'

/** An unread body up to this size is read away to keep the connection. */
const drainBytes = 64 * 1024
/** A larger one closes it, after this much time or this many bytes, so that the caller sees the answer and no reset. */
const lingerMs = 1000
const lingerBytes = 64 * 2 ** 20

/**
 * A call from a socket. Nothing is made for it that is not asked for: no signal, no listener, no buffer. A class, as an
 * object literal with a getter costs V8 a hidden class for each object.
 */
export class SocketCall implements Call {
  readonly method: string
  readonly surface: Surface
  readonly path: string
  readonly query: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #expectsContinue: boolean
  #signal: AbortSignal | undefined

  constructor(request: IncomingMessage, response: ServerResponse, target: Target, expectsContinue: boolean) {
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
    if (this.#expectsContinue) this.#response.writeContinue()
    return readBytes(this.#request, limit)
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#response)
    return this.#signal
  }
}

function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once('close', () => response.writableFinished || controller.abort())
  return controller.signal
}

/** Writes an answer, and sees to the body that was not read. */
export function finish(request: IncomingMessage, response: ServerResponse, answer: Answer, closing: boolean): void {
  if (response.destroyed) return
  const { status, headers, body } = answer
  const leavesMuch = hasMuchUnread(request)
  const hasNoLength = status === 204
  response.writeHead(status, {
    ...headers,
    ...(hasNoLength ? undefined : { 'content-length': utf8Length(body) }),
    ...(closing || leavesMuch ? { connection: 'close' } : undefined),
  })
  const text = hasNoLength || request.method === 'HEAD' ? '' : body
  // What is small Node reads away by itself, and the connection stays.
  if (!leavesMuch) return void response.end(text)
  // `end` would make Node destroy the socket with bytes unread, and the caller would see a reset in place of the answer.
  if (text === '') response.flushHeaders()
  else response.write(text)
  linger(request, () => response.end())
}

function hasMuchUnread({ headers, complete, readableEnded }: IncomingMessage): boolean {
  if (readableEnded || complete) return false
  if (headers['transfer-encoding'] !== undefined) return true
  const declared = Number(headers['content-length'] ?? 0)
  // A caller who waits for 100 Continue may never send the body, and its next request could not be told from it.
  return declared > drainBytes || (declared > 0 && headers.expect !== undefined)
}

function linger(request: IncomingMessage, done: () => void): void {
  let left = lingerBytes
  const stop = () => {
    clearTimeout(timer)
    request.off('data', discard)
    request.off('end', stop)
    request.off('close', stop)
    done()
  }
  const discard = (chunk: Uint8Array) => {
    left -= chunk.byteLength
    if (left < 0) stop()
  }
  const timer = setTimeout(stop, lingerMs)
  request.on('data', discard).on('end', stop).on('close', stop)
  request.resume()
}

function readBytes(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const settle = (act: () => void) => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone)
      // A late error of the socket without a listener would end the process.
      request.on('error', () => {})
      act()
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > limit) settle(() => reject(tooLarge(limit)))
    }
    const end = () => settle(() => resolve(join(chunks, length)))
    const gone = () => settle(() => reject(new CallerGone('The connection closed before the end of the body.')))
    request.on('data', take).on('end', end).on('close', gone).on('error', gone)
  })
}

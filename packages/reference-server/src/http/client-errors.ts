import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestTarget } from '../bases.js'
import { httpDate } from '../clock.js'
import { ClientClosedRequest, type Handler, type OutgoingResponse, refusalResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import { utf8Length } from '../validation/index.js'
import { endGracefully, type HeldSockets } from './socket.js'
import type { SocketRequest } from './socket-request.js'

/** What Node says of bytes that it could not read as a request. */
export interface ParseError extends Error {
  code?: string
  rawPacket?: Uint8Array
  bytesParsed?: number
}

/** What a server gives for the answers to bytes that never became a request of Node's. */
export interface UnparsedParts {
  answer: Handler
  /** Where the target of a request line leads. */
  target(url: string): RequestTarget
  /** The call of a socket that came last. */
  latest(socket: Socket): SocketRequest | undefined
  /** The time that an answer bears. */
  now(): number
  reasons: Readonly<Record<number, string | undefined>>
  held: HeldSockets
}

/** Answers what Node would answer by itself with a bare status: broken requests, late ones, and CONNECT. */
export class ClientErrors {
  readonly #parts: UnparsedParts
  readonly #broken = new WeakSet<Socket>()

  constructor(parts: UnparsedParts) {
    this.#parts = parts
  }

  /** The bytes of a socket are no request, or did not come in time; nothing on it can be read any more. */
  refuse(error: ParseError, socket: Socket): void {
    // Nothing more is said to the same bytes; but a caller who ends its half while an answer is under way is gone.
    if (this.#broken.has(socket)) return socket.readableEnded ? socket.destroySoon() : undefined
    this.#broken.add(socket)
    // Who has asked nothing would take a refusal for the answer to what it asks next.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) return void socket.destroy()
    const { latest, target } = this.#parts
    const call = latest(socket)
    if (call && !call.isComplete) return call.abort(reasonOf(error))
    const line = requestLine(error)
    if (line?.isBroken && error.code === 'HPE_INVALID_METHOD') return this.#route(line.method, line.url, socket)
    const { surface } = target(line?.url ?? '')
    this.#write(line?.method, refusalResponse(surface, refusalOf(error)), socket)
  }

  /** Nothing has moved on a socket for long: a body is not waited for any longer, but work is. */
  wait(socket: Socket): void {
    const call = this.#parts.latest(socket)
    if (!call || call.isFinished) socket.destroy()
    else if (!call.isComplete) this.refuse(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }

  /** Nothing is connected through this server. */
  connect(request: IncomingMessage, socket: Socket): void {
    // Node has let go of the socket: it has no listener for errors any more, and closing the server does not close it.
    socket.on('error', () => {})
    this.#parts.held.hold(socket)
    socket.resume()
    this.#route('CONNECT', request.url ?? '', socket)
  }

  /** Any method is answered by what stands at its path, also one that Node does not know. */
  #route(method: string, url: string, socket: Socket): void {
    const { answer, target } = this.#parts
    const { signal } = new AbortController()
    const readBody = () => Promise.resolve(new Uint8Array())
    answer({ method, ...target(url), header: () => null, readBody, signal }).then(
      (reply) => this.#write(method, reply, socket),
      () => socket.destroy(),
    )
  }

  /** Writes an answer as the last words on a socket, after the answers that are under way on it. */
  #write(method: string | undefined, reply: OutgoingResponse, socket: Socket): void {
    const { latest, now, reasons } = this.#parts
    const words = [
      `HTTP/1.1 ${reply.status} ${reasons[reply.status] ?? ''}`,
      ...Object.entries({ date: httpDate(now()), ...reply.headers }).map(([name, value]) => `${name}: ${value}`),
      ...(reply.status === 204 ? [] : [`content-length: ${utf8Length(reply.body)}`]),
      'connection: close',
    ]
    const text = `${words.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : reply.body}`
    const end = () => {
      if (socket.writable) endGracefully(socket, text)
    }
    const before = latest(socket)
    if (before) before.whenFinished(end)
    else end()
  }
}

function reasonOf(error: ParseError): Refusal | ClientClosedRequest {
  if (error.code !== 'HPE_INVALID_EOF_STATE') return refusalOf(error)
  return new ClientClosedRequest('The connection was ended in the middle of the body.')
}

function refusalOf({ code = '' }: ParseError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal(431, 'The headers of the request are too large.')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Refusal(413, 'The extensions of a chunk are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal(408, 'The request did not come in time.')
  return new Refusal(400, `The request is not valid HTTP${/^HPE_\w+$/.test(code) ? ` (${code})` : ''}.`)
}

/** The request line in which, or after which, the parser gave up, where the last packet holds it. */
function requestLine({ rawPacket, bytesParsed = 0 }: ParseError) {
  const packet = new TextDecoder('latin1').decode(rawPacket)
  const lineEnd = packet.indexOf('\n', bytesParsed)
  const lines = packet.slice(0, lineEnd < 0 ? packet.length : lineEnd).split('\n')
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const [, method, url] = /^(\S+) (\S+) HTTP\/\d/.exec(lines[i] ?? '') ?? []
    if (method !== undefined && url !== undefined) return { method, url, isBroken: i === lines.length - 1 }
  }
  return undefined
}

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestTarget } from '../bases.js'
import { httpDate } from '../clock.js'
import { ClientClosedRequest, type Handler, type OutgoingResponse, refusalResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import { utf8Length } from '../validation/index.js'
import type { EdgeParts } from './fetch.js'
import { endGracefully, type HeldSockets, schemeOf } from './socket.js'
import type { SocketRequest } from './socket-request.js'

/** The error of Node's `clientError` event. */
export interface ParseError extends Error {
  code?: string
  rawPacket?: Uint8Array
  bytesParsed?: number
}

interface ClientErrorsOptions {
  handler: Handler
  target(url: string): RequestTarget
  latest(socket: Socket): SocketRequest | undefined
  edge: EdgeParts
  statusTexts: Readonly<Record<number, string | undefined>>
  held: HeldSockets
}

/** Answers in the error envelope what Node would answer with a bare status: malformed and late requests, and CONNECT. */
export class ClientErrors {
  readonly #options: ClientErrorsOptions
  readonly #broken = new WeakSet<Socket>()

  constructor(options: ClientErrorsOptions) {
    this.#options = options
  }

  /** The bytes on a socket are no request, or did not arrive in time; no more can be read from it. */
  refuse(error: ParseError, socket: Socket): void {
    // The first error is answered. A client that has ended its half since then is gone.
    if (this.#broken.has(socket)) return socket.readableEnded ? socket.destroySoon() : undefined
    this.#broken.add(socket)
    // A client that has sent nothing would take a response for the one to its next request.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) return void socket.destroy()
    const { latest, target, edge } = this.#options
    const request = latest(socket)
    if (request && !request.isComplete) return request.abort(reasonOf(error))
    const line = requestLine(error)
    if (line?.isBroken && error.code === 'HPE_INVALID_METHOD') return this.#route(line.method, line.url, socket)
    const { surface } = target(line?.url ?? '')
    this.#write(line?.method, refusalResponse(surface, refusalOf(error), edge.ambiguities().errorBody), socket)
  }

  /** A socket was idle for too long: refuse an incomplete request, wait for a response that is being computed. */
  timeout(socket: Socket): void {
    const request = this.#options.latest(socket)
    if (!request || request.isFinished) socket.destroy()
    else if (!request.isComplete) this.refuse(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }

  connect(request: IncomingMessage, socket: Socket): void {
    // Node has released the socket: it has no error listener, and closing the server does not close it.
    socket.on('error', () => {})
    this.#options.held.hold(socket)
    socket.resume()
    this.#route('CONNECT', request.url ?? '', socket)
  }

  /** Answer a method that Node does not parse, such as with a 405. */
  #route(method: string, url: string, socket: Socket): void {
    const { handler, target } = this.#options
    const { signal } = new AbortController()
    const readBody = async () => new Uint8Array()
    const request = { edge: 'http', method, scheme: schemeOf(socket), ...target(url) } as const
    handler({ ...request, header: () => null, headers: () => ({}), readBody, signal }).then(
      (response) => this.#write(method, response, socket),
      () => socket.destroy(),
    )
  }

  /** Write the last response on a socket, after the earlier ones. */
  #write(method: string | undefined, { status, headers, body }: OutgoingResponse, socket: Socket): void {
    const { latest, edge, statusTexts } = this.#options
    const date = edge.ambiguities().dateHeader && { date: httpDate(edge.clock.now()) }
    const head = [
      `HTTP/1.1 ${status} ${statusTexts[status] ?? ''}`,
      ...Object.entries({ ...date, ...headers }).map(([name, value]) => `${name}: ${value}`),
      ...(status === 204 ? [] : [`content-length: ${utf8Length(body)}`]),
      'connection: close',
    ]
    const text = `${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`
    const end = () => {
      if (socket.writable) endGracefully(socket, text)
    }
    const earlier = latest(socket)
    if (earlier) earlier.whenFinished(end)
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

/** The request line in which, or after which, the parser failed, if the last packet contains it. */
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

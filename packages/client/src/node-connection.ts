import { connect, isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { AnswerReader, type RawHeaders } from './answer-reader.js'
import { systemClock } from './clock.js'
import { type Flow, NodeBody } from './node-body.js'

/** Where a connection leads to. */
export interface Peer {
  secure: boolean
  /** Without the brackets of an IPv6 address. */
  hostname: string
  port: number
  /** Of the last connection: the next one costs a round trip less. */
  session?: Buffer | undefined
}

/** A request as it is written: `head` is all of it before the body, its last empty line included. */
export interface Written {
  method: string
  head: string
  body: string | Uint8Array
  /** Called when the exchange has ended, whole or not. */
  ended?: (() => void) | undefined
}

/** How an answer begins; the rest comes with `body`. */
export interface Head {
  status: number
  text: string
  headers: RawHeaders
  body: NodeBody
}

interface Exchange {
  reader: AnswerReader
  body: NodeBody
  isAnswered: boolean
  reject(error: unknown): void
  ended: (() => void) | undefined
}

export const closedEarly = (): Error =>
  Object.assign(new Error('The connection closed before the answer was whole.'), { code: 'ECONNRESET' })

const connectTimeout = () =>
  Object.assign(new Error('No connection within the time-out.'), { code: 'ETIMEDOUT', syscall: 'connect' })

/** Text that is longer is made bytes of before it is written; shorter, it is copied once less as it is. */
const longText = 1 << 14

/** One connection of HTTP/1.1, over which one exchange goes after the other. */
export class NodeConnection {
  /** When its last exchange ended, and how long it may be kept after it, in milliseconds. */
  idleSince = 0
  keepMs: number
  readonly #socket: Socket
  readonly #settled: (connection: NodeConnection, mayGoOn: boolean) => void
  readonly #flow: Flow
  #exchange: Exchange | undefined

  /** `settled` is called when an exchange has ended, and when the connection has. */
  constructor(socket: Socket, keepMs: number, settled: (connection: NodeConnection, mayGoOn: boolean) => void) {
    this.#socket = socket
    this.keepMs = keepMs
    this.#settled = settled
    this.#flow = { pause: () => socket.pause(), resume: () => socket.resume(), cancel: () => socket.destroy() }
    // Once for all exchanges: what comes or goes begins the time anew.
    socket
      .setTimeout(keepMs)
      .on('timeout', () => {
        if (!this.#exchange) socket.destroy()
      })
      .on('data', (bytes: Buffer) => this.#take(bytes))
      .on('end', () => {
        if (this.#exchange?.reader.close() === false) this.#fail(closedEarly())
        socket.destroy()
      })
      .on('error', (error) => this.#fail(error))
      .on('close', () => {
        this.#fail(closedEarly())
        settled(this, false)
      })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  /** Whether the process has to stay for it. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  /** Sends a request; resolves with the head of its answer. */
  send({ method, head, body, ended }: Written): Promise<Head> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket
      const answer = new NodeBody(this.#flow)
      const exchange: Exchange = {
        body: answer,
        isAnswered: false,
        reject,
        ended,
        reader: new AnswerReader(method, {
          head: (status, text, headers) => {
            exchange.isAnswered = true
            this.#keepFor(headers['keep-alive'])
            resolve({ status, text, headers, body: answer })
          },
          data: (part) => answer.push(part),
          end: (mayGoOn) => this.#end(exchange, mayGoOn),
        }),
      }
      this.#exchange = exchange
      write(socket, head, body)
    })
  }

  /** Closes it, whatever is under way. */
  destroy(error?: unknown): void {
    if (error !== undefined) this.#fail(error)
    this.#socket.destroy()
  }

  /** A second less than the server says that it does: what it closes meanwhile would be met as it closes. */
  #keepFor(hint: string | string[] | undefined): void {
    const [, seconds] = hint === undefined ? [] : (/(?:^|[,\s])timeout=(\d{1,9})/i.exec(String(hint)) ?? [])
    const ms = Number(seconds) * 1_000 - 1_000
    if (seconds === undefined || ms >= this.keepMs) return
    this.keepMs = Math.max(0, ms)
    this.#socket.setTimeout(Math.max(1, ms))
  }

  #take(bytes: Buffer): void {
    // What nobody asked for cannot be an answer to what is asked next.
    if (!this.#exchange) return void this.#socket.destroy()
    try {
      this.#exchange.reader.push(bytes)
    } catch (error) {
      this.destroy(error)
    }
  }

  #end(exchange: Exchange, mayGoOn: boolean): void {
    this.#exchange = undefined
    exchange.body.end()
    // Answered before all of it was sent: the rest would stand before the next request.
    const goesOn = mayGoOn && this.isOpen && this.#socket.writableLength === 0
    if (goesOn) this.#settled(this, true)
    else this.#socket.destroy()
    exchange.ended?.()
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange
    if (!exchange) return
    this.#exchange = undefined
    if (exchange.isAnswered) exchange.body.end({ error })
    else exchange.reject(error)
    exchange.ended?.()
  }
}

const beyondAscii = /[^\r\n\t -~]/

function write(socket: Socket, head: string, body: string | Uint8Array): void {
  // Together, where one encoding does for both.
  if (typeof body === 'string' && body.length <= longText && !beyondAscii.test(head)) {
    return void socket.write(head + body, 'utf8')
  }
  socket.cork()
  socket.write(head, 'latin1')
  if (body.length > 0) socket.write(typeof body === 'string' ? Buffer.from(body) : body)
  socket.uncork()
}

/** Opens a connection, told to `begun`; rejects where there is none within the time-out, TLS included. */
export async function opened(peer: Peer, timeoutMs: number, begun: (socket: Socket) => void): Promise<Socket> {
  const { secure, hostname, port } = peer
  const where = { host: hostname, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000 }
  const socket = secure ? await secured(where, peer) : connect(where)
  begun(socket)
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(timeoutMs, () => socket.destroy(connectTimeout()))
    const failed = (error: Error) => {
      cancel()
      reject(error)
    }
    const ended = () => failed(closedEarly())
    socket
      .once('error', failed)
      .once('close', ended)
      .once(secure ? 'secureConnect' : 'connect', () => {
        cancel()
        socket.off('error', failed).off('close', ended)
        resolve(socket)
      })
  })
}

async function secured(where: { host: string; port: number }, peer: Peer): Promise<TLSSocket> {
  const tls = await import('node:tls')
  const { session } = peer
  const servername = isIP(where.host) ? '' : where.host
  return tls
    .connect({ ...where, servername, ALPNProtocols: ['http/1.1'], ...(session && { session }) })
    .on('session', (fresh) => {
      peer.session = fresh
    })
    .on('error', () => {
      peer.session = undefined
    })
}

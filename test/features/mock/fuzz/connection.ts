import { connect, type Socket } from 'node:net'
import { NoAnswer, takeAnswer, type WireAnswer } from './answers.js'

/** Nothing is waited for longer. */
const patienceMs = 120_000

/** A connection that is reused while the server keeps it, and reopened when it does not. */
export class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #bytes = ''
  #wake: () => void = () => {}

  constructor(port: number) {
    this.#port = port
  }

  /** Sends a request, and gives its answer; `isCut`: nothing more will be sent on this connection. */
  async ask(request: Buffer, method: string, isCut: boolean): Promise<WireAnswer> {
    const socket = this.#open()
    socket.write(request)
    if (isCut) socket.end()
    for (;;) {
      const taken = takeAnswer(this.#bytes, method !== 'HEAD')
      if (!taken && socket.closed) throw new NoAnswer(`closed after ${JSON.stringify(this.#bytes.slice(0, 200))}`)
      if (!taken) await this.#more()
      else {
        this.#bytes = taken.rest
        if (taken.answer.status >= 200) return this.#after(taken.answer, isCut)
      }
    }
  }

  /** Sends bytes and ends, and gives all that comes until the server has ended too. */
  async drain(parts: readonly Buffer[]): Promise<string> {
    const socket = this.#open()
    for (const part of parts) {
      if (socket.destroyed) break
      socket.write(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
    socket.end()
    while (!socket.closed) await this.#more()
    return this.#bytes
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #after(answer: WireAnswer, isCut: boolean): Promise<WireAnswer> {
    const socket = this.#socket
    if (!socket || (answer.headers.connection !== 'close' && !isCut)) {
      if (this.#bytes !== '') throw new NoAnswer(`more than an answer: ${this.#bytes.slice(0, 200)}`)
      return answer
    }
    socket.end()
    while (!socket.closed) await this.#more()
    return answer
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket
    this.#bytes = ''
    const socket = connect(this.#port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      this.#bytes += chunk
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#wake())
    this.#socket = socket
    return socket
  }

  /** Waits until something has come, or the connection has closed. */
  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoAnswer(`nothing came for ${patienceMs} ms`)), patienceMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

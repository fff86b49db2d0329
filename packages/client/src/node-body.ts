import type { BodyReader } from './fetch.js'

/** What a body may ask of the connection that it comes over. */
export interface Flow {
  pause(): void
  resume(): void
  /** Nobody wants the rest. */
  cancel(): void
}

/** So many bytes are held for a reader that does not come for them, before the connection has to wait. */
const mostHeld = 1 << 18

type Read = Awaited<ReturnType<BodyReader['read']>>

/** The bytes of an answer between the connection and who reads them. */
export class NodeBody implements BodyReader {
  readonly #flow: Flow
  #parts: Uint8Array[] = []
  #held = 0
  #isPaused = false
  #ended: { error?: unknown } | undefined
  #waiting: { resolve(read: Read): void; reject(error: unknown): void } | undefined

  constructor(flow: Flow) {
    this.#flow = flow
  }

  push(part: Uint8Array): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) return waiting.resolve({ done: false, value: part })
    this.#parts.push(part)
    this.#held += part.length
    if (this.#held <= mostHeld || this.#isPaused) return
    this.#isPaused = true
    this.#flow.pause()
  }

  /** Nothing comes any more: it is whole, or broke off. What came is read all the same. */
  end(broken?: { error: unknown }): void {
    if (this.#ended) return
    this.#ended = broken ?? {}
    const waiting = this.#waiting
    this.#waiting = undefined
    if (!waiting) return
    if (broken) waiting.reject(broken.error)
    else waiting.resolve({ done: true })
  }

  read(): Promise<Read> {
    const part = this.#parts.shift()
    if (part) {
      this.#held -= part.length
      if (this.#isPaused && this.#held === 0) {
        this.#isPaused = false
        this.#flow.resume()
      }
      return Promise.resolve({ done: false, value: part })
    }
    if (!this.#ended) {
      return new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject }
      })
    }
    return 'error' in this.#ended ? Promise.reject(this.#ended.error) : Promise.resolve({ done: true })
  }

  cancel(): Promise<void> {
    if (!this.#ended) this.#flow.cancel()
    return Promise.resolve()
  }
}

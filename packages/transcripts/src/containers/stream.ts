import { ContainerError } from './limits.js'

/**
 * Makes a one-time stream, such as a pipe, readable again. Keeps its bytes until more than `keepBytes` have arrived;
 * after that, a second reading fails.
 */
export class Replay {
  readonly #parts: AsyncIterator<Uint8Array>
  readonly #keepBytes: number
  #kept: Uint8Array[] = []
  #bytes = 0
  #isRead = false

  constructor(parts: AsyncIterable<Uint8Array>, keepBytes: number) {
    this.#parts = parts[Symbol.asyncIterator]()
    this.#keepBytes = keepBytes
  }

  /** The first bytes of the stream, at most this many. */
  async head(bytes: number): Promise<Uint8Array> {
    while (this.#bytes < bytes && (await this.#next())) {
      // `#next` keeps the part.
    }
    return Buffer.concat(this.#kept).subarray(0, bytes)
  }

  /** All bytes, regardless of `keepBytes`. */
  async whole(): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.stream()) parts.push(part)
    return Buffer.concat(parts)
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    const isFirst = !this.#isRead
    this.#isRead = true
    const kept = this.#kept
    if (!isFirst && this.#bytes > this.#keepBytes) {
      throw new ContainerError('the stream cannot be read again: its beginning is no longer in memory')
    }
    try {
      // By index: more parts may arrive while a second reader reads the kept ones.
      for (let i = 0, end = kept.length; i < end; i++) yield kept[i] as Uint8Array
      if (!isFirst) return
      for (let part = await this.#next(); part; part = await this.#next()) yield part
    } finally {
      // Close the source if the first reader stops early.
      if (isFirst) await this.#parts.return?.()
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#parts.next()
    if (done) return undefined
    this.#bytes += value.length
    if (this.#bytes <= this.#keepBytes) this.#kept.push(value)
    else this.#kept = []
    return value
  }
}

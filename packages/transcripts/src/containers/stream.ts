import { ContainerError } from './limits.js'

/**
 * Bytes that come once, such as those of a pipe: read from the beginning the first time, and again from what was kept.
 * Once more than `keepBytes` have come, nothing is kept, and they cannot be read again.
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

  /** The first so many bytes, or all where there are fewer. */
  async head(bytes: number): Promise<Uint8Array> {
    while (this.#bytes < bytes && (await this.#next())) {
      // What has come is kept.
    }
    return Buffer.concat(this.#kept).subarray(0, bytes)
  }

  /** All of it, whatever is to be kept. */
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
      throw new ContainerError('it came in one stream, and its beginning is no longer held')
    }
    try {
      // By count: more may come while a second reader looks at what the first has read.
      for (let i = 0, end = kept.length; i < end; i++) yield kept[i] as Uint8Array
      if (!isFirst) return
      for (let part = await this.#next(); part; part = await this.#next()) yield part
    } finally {
      // Whoever reads no further leaves a pipe behind that nobody else would close.
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

/** Node searches its Buffer ten times as fast as any other array of bytes. */
const searchable = (bytes: Uint8Array): Uint8Array =>
  globalThis.Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) ?? bytes

const nothing = new Uint8Array(0)

/** Bytes that have come and are not yet taken. */
export class ByteQueue {
  /** Of the first waiting byte, from the start of the file. */
  offset = 0
  #buffer: Uint8Array = nothing
  /** True if the buffer is a chunk, which whoever gave it may use again. */
  #isLent = true
  #start = 0
  #end = 0
  #bytes: Uint8Array | undefined

  /** What waits. The view is good until the next `push` or `keep`. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#buffer.subarray(this.#start, this.#end)
    return this.#bytes
  }

  push(chunk: Uint8Array): void {
    this.#bytes = undefined
    if (this.#start === this.#end) {
      this.#buffer = searchable(chunk)
      this.#isLent = true
      this.#start = 0
      this.#end = chunk.length
      return
    }
    if (this.#isLent || this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length)
    this.#buffer.set(chunk, this.#end)
    this.#end += chunk.length
  }

  take(count: number): void {
    if (count === 0) return
    this.#bytes = undefined
    this.#start += count
    this.offset += count
  }

  /** Copies what waits out of a chunk that was only lent. */
  keep(): void {
    if (this.#isLent) this.#makeRoom(0)
  }

  /** Room to grow, so that a long record is not copied again with each chunk, and none that a long one has left behind. */
  #makeRoom(more: number): void {
    const waiting = this.bytes
    const wanted = waiting.length + more
    const fits = !this.#isLent && wanted <= this.#buffer.length && this.#buffer.length <= 4 * wanted
    const target = fits ? this.#buffer : searchable(new Uint8Array(more === 0 ? wanted : wanted * 1.5))
    target.set(waiting)
    this.#bytes = undefined
    this.#buffer = target
    this.#isLent = false
    this.#start = 0
    this.#end = waiting.length
  }
}

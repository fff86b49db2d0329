/** Bytes that have come and are not yet taken. */
export class ByteQueue {
  /** Of the first waiting byte, from the start of the file. */
  offset = 0
  #buffer: Uint8Array = new Uint8Array(0)
  #start = 0
  #end = 0

  /** What waits. The view is good until the next `push`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  /** Copies the chunk, unless it is the last. Room grows by half, so that a long record is not copied again with each. */
  push(chunk: Uint8Array, isLast = false): void {
    const waiting = this.bytes
    const length = waiting.length + chunk.length
    if (isLast && waiting.length === 0) {
      this.#buffer = chunk
      this.#start = 0
      this.#end = length
      return
    }
    if (length > this.#buffer.length || length * 4 < this.#buffer.length) this.#buffer = new Uint8Array(length * 1.5)
    if (this.#buffer.buffer !== waiting.buffer || this.#start > 0) this.#buffer.set(waiting)
    this.#buffer.set(chunk, waiting.length)
    this.#start = 0
    this.#end = length
  }

  take(count: number): void {
    this.#start += count
    this.offset += count
  }
}

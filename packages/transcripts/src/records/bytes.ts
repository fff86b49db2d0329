export const newline = 0x0a

export const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const checker = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Decode UTF-8. Invalid bytes become U+FFFD, and `repaired` is true. */
export function textOfBytes(bytes: Uint8Array): { text: string; repaired?: true } {
  const text = decoder.decode(bytes)
  if (!text.includes('\uFFFD')) return { text }
  try {
    checker.decode(bytes)
    return { text }
  } catch {
    return { text, repaired: true }
  }
}

/** The bytes that no record has consumed yet. */
export class ByteQueue {
  /** The offset of the first waiting byte from the start of the file. */
  offset = 0
  #buffer: Uint8Array = new Uint8Array(0)
  #start = 0
  #end = 0

  /** A view that is valid until the next `push`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  /** Copies the chunk, unless it is the last. The buffer grows by half, so that a long record is not copied with each chunk. */
  push(chunk: Uint8Array, isLast = false): void {
    const waiting = this.bytes
    const length = waiting.length + chunk.length
    if (isLast && waiting.length === 0) this.#buffer = chunk
    else {
      if (length > this.#buffer.length || length * 4 < this.#buffer.length) this.#buffer = new Uint8Array(length * 1.5)
      if (this.#buffer.buffer !== waiting.buffer || this.#start > 0) this.#buffer.set(waiting)
      this.#buffer.set(chunk, waiting.length)
    }
    this.#start = 0
    this.#end = length
  }

  consume(count: number): void {
    this.#start += count
    this.offset += count
  }
}

const nothing = new Uint8Array(0)
const encoder = new TextEncoder()

/** Converts the chunks of a file to UTF-8: text, or bytes that may be UTF-16 with or without a byte order mark. */
export class Utf8Converter {
  #decoder: TextDecoder | undefined
  #isDetected = false
  /** The first bytes, while they are too few to detect the encoding. */
  #head = nothing
  /** A surrogate whose other half is in the next chunk. */
  #half = ''

  push(chunk: Uint8Array | string): Uint8Array {
    if (typeof chunk === 'string') return this.#encode(chunk)
    if (this.#isDetected) return this.#decode(chunk)
    const head = concat(this.#head, chunk)
    if (head.length >= 4) return this.#begin(head)
    this.#head = head.slice()
    return nothing
  }

  end(): Uint8Array {
    const undetected = this.#isDetected ? nothing : this.#begin(this.#head)
    return concat(undetected, encoder.encode(this.#decoder ? this.#decoder.decode() : this.#half))
  }

  #begin(head: Uint8Array): Uint8Array {
    this.#isDetected = true
    const encoding = encodingOf(head)
    if (encoding) this.#decoder = new TextDecoder(encoding)
    return this.#decode(head)
  }

  #decode(chunk: Uint8Array): Uint8Array {
    return this.#decoder ? encoder.encode(this.#decoder.decode(chunk, { stream: true })) : chunk
  }

  #encode(chunk: string): Uint8Array {
    this.#isDetected = true
    const text = this.#half + chunk
    this.#half = /[\uD800-\uDBFF]$/.exec(text.slice(-1))?.[0] ?? ''
    return encoder.encode(text.slice(0, text.length - this.#half.length))
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** UTF-16 is detected by its byte order mark, or by the zero byte beside each ASCII character. */
function encodingOf([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)) return 'utf-16be'
  return undefined
}

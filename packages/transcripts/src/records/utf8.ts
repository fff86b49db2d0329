const nothing = new Uint8Array(0)
const encoder = new TextEncoder()
/** So many bytes tell the encoding. */
const telling = 4

/** Makes UTF-8 of the parts of a file: text, or bytes that may be UTF-16 with or without a byte order mark. */
export class Utf8 {
  #decoder: TextDecoder | undefined
  #isKnown = false
  /** The first bytes, while they are too few to tell the encoding. */
  #head = nothing
  /** The first half of a surrogate pair that two texts divide. */
  #half = ''

  push(chunk: Uint8Array | string): Uint8Array {
    if (typeof chunk === 'string') return this.#encoded(chunk)
    if (this.#isKnown) return this.#decoded(chunk)
    const head = this.#head.length === 0 ? chunk : joined(this.#head, chunk)
    if (head.length >= telling) return this.#begin(head)
    this.#head = head.slice()
    return nothing
  }

  end(): Uint8Array {
    const rest = this.#isKnown ? nothing : this.#begin(this.#head)
    const last = this.#decoder ? this.#decoder.decode() : this.#half
    return last === '' ? rest : joined(rest, encoder.encode(last))
  }

  #begin(head: Uint8Array): Uint8Array {
    this.#isKnown = true
    const encoding = encodingOf(head)
    if (encoding) this.#decoder = new TextDecoder(encoding)
    return this.#decoded(head)
  }

  #decoded(chunk: Uint8Array): Uint8Array {
    return this.#decoder ? encoder.encode(this.#decoder.decode(chunk, { stream: true })) : chunk
  }

  #encoded(chunk: string): Uint8Array {
    this.#isKnown = true
    const text = this.#half + chunk
    const isHalved = /[\uD800-\uDBFF]$/.test(text.slice(-1))
    this.#half = isHalved ? text.slice(-1) : ''
    return encoder.encode(isHalved ? text.slice(0, -1) : text)
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** UTF-16 by its mark, or by the zero that stands beside each character of ASCII. */
function encodingOf([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)) return 'utf-16be'
  return undefined
}

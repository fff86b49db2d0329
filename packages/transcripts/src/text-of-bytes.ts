const exact = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Bytes as text, those from `start` to `end`, or to the last that there is; what is no UTF-8 becomes U+FFFD, and `repaired`
 * says so. Node tells a Buffer's text sooner, though not whether it is repaired.
 */
export function textOfBytes(bytes: Uint8Array, start = 0, end = bytes.length): { text: string; repaired: boolean } {
  if (globalThis.Buffer?.isBuffer(bytes)) {
    const text = textOfBuffer(bytes, start, Math.min(end, bytes.length))
    if (!text.includes('\uFFFD')) return { text, repaired: false }
  }
  const part = bytes.subarray(start, end)
  try {
    return { text: exact.decode(part), repaired: false }
  } catch {
    return { text: lenient.decode(part), repaired: true }
  }
}

/** A text that is shorter has little to gain, and one that is longer is not to be held twice. */
const [small, large] = [256, 1 << 20]
/** Where more than one byte of so many is beyond ASCII, the decoder is quicker than a search for them. */
const dense = 256

/** Most is ASCII, which is copied: V8 takes ten times as long for a text with a single character beyond it. */
function textOfBuffer(bytes: Buffer, start: number, end: number): string {
  if (end - start < small || end - start > large) return bytes.toString('utf8', start, end)
  const copy = bytes.toString('latin1', start, end)
  const others = Buffer.byteLength(copy) - copy.length
  if (others === 0) return copy
  if (others * dense > copy.length) return bytes.toString('utf8', start, end)
  const words = new WordsOf(bytes)
  let text = ''
  for (let at = start; at < end; ) {
    const other = words.pastAscii(at, end)
    let next = other
    while (next < end && (bytes[next] as number) > 0x7f) next++
    text += bytes.toString('latin1', at, other) + bytes.toString('utf8', other, next)
    at = next
  }
  return text
}

/** A buffer as words of four bytes, to look at four at once. */
class WordsOf {
  readonly #bytes: Buffer
  readonly #words: Uint32Array
  /** Of the first word. */
  readonly #offset: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#offset = -bytes.byteOffset & 3
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset + this.#offset, (bytes.length - this.#offset) >>> 2)
  }

  /** Where the first byte that is not ASCII stands, or `end`. */
  pastAscii(from: number, end: number): number {
    const [bytes, words, offset] = [this.#bytes, this.#words, this.#offset]
    let at = from
    while (at < end && ((at - offset) & 3) !== 0) {
      if ((bytes[at] as number) > 0x7f) return at
      at++
    }
    let word = (at - offset) >>> 2
    const stop = Math.min((end - offset) >>> 2, words.length)
    while (word < stop && ((words[word] as number) & 0x80808080) === 0) word++
    at = Math.max(at, offset + 4 * word)
    while (at < end && (bytes[at] as number) <= 0x7f) at++
    return at
  }
}

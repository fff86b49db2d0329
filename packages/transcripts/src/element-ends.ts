import { isSpace } from './piece.js'

const quote = 0x22
const openBrace = 0x7b
const closeBrace = 0x7d
/** So many bytes between two elements, and of a first key, are no habit of a program. */
const longest = 128
/** A longer element is not guessed at, so that a wrong guess costs little. */
const within = 1 << 20

/**
 * Guesses where the objects of an array end: a program writes the same bytes between them, from the brace that closes
 * one to the first key of the next. To look for those in Node's Buffer takes a fraction of a search for the end through
 * all strings and brackets. Whether a guess is right the parser tells, for what it accepts between two commas is an element.
 */
export class ElementEnds {
  /** What stands between two elements. */
  #boundary: Uint8Array | undefined
  #isOff = false
  #isMissed = false

  /** More bytes have come. Until then what was not found once is not looked for again. */
  resume(): void {
    this.#isMissed = false
  }

  /** The end of the object at `start`, mostly; -1 where nothing tells it. */
  endOf(bytes: Uint8Array, start: number): number {
    if (this.#boundary === undefined || this.#isMissed || bytes[start] !== openBrace) return -1
    if (!globalThis.Buffer?.isBuffer(bytes)) return -1
    const found = bytes.indexOf(this.#boundary, start)
    this.#isMissed = found === -1 || found - start > within
    return this.#isMissed ? -1 : found + 1
  }

  /** Learns from the end of one element and the start of the next. */
  learn(bytes: Uint8Array, end: number, next: number): void {
    if (this.#boundary !== undefined || this.#isOff) return
    if (bytes[end - 1] !== closeBrace || bytes[next] !== openBrace) return
    let key = next + 1
    while (isSpace(bytes[key])) key++
    const stop = bytes[key] === quote ? bytes.indexOf(quote, key + 1) : -1
    if (stop !== -1 && stop - end <= longest) this.#boundary = Uint8Array.from(bytes.subarray(end - 1, stop + 1))
  }

  /** After a guess that was wrong. */
  stop(): void {
    this.#boundary = undefined
    this.#isOff = true
  }
}

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
 * one to the first key of the next. To look for those takes a tenth of a search for the end through all strings and
 * brackets. Whether a guess is right the parser tells, for what it accepts between two commas is an element.
 */
export class ElementEnds {
  /** What stands between two elements, and how far to go on by the byte under the last of it (Horspool). */
  #habit: { boundary: Uint8Array; steps: Uint8Array } | undefined
  #isOff = false
  #isMissed = false

  /** More bytes have come. Until then what was not found once is not looked for again. */
  resume(): void {
    this.#isMissed = false
  }

  /** The end of the object at `start`, mostly; -1 where nothing tells it. */
  endOf(bytes: Uint8Array, start: number): number {
    if (this.#habit === undefined || this.#isMissed || bytes[start] !== openBrace) return -1
    const { boundary, steps } = this.#habit
    const last = boundary.length - 1
    const stop = Math.min(bytes.length, start + within)
    for (let at = start + last; at < stop; at += steps[bytes[at] as number] as number) {
      let same = last
      while (same >= 0 && bytes[at - last + same] === boundary[same]) same--
      if (same < 0) return at - last + 1
    }
    this.#isMissed = true
    return -1
  }

  /** Learns from the end of one element and the start of the next. */
  learn(bytes: Uint8Array, end: number, next: number): void {
    if (this.#habit !== undefined || this.#isOff) return
    if (bytes[end - 1] !== closeBrace || bytes[next] !== openBrace) return
    let key = next + 1
    while (isSpace(bytes[key])) key++
    const stop = bytes[key] === quote ? bytes.indexOf(quote, key + 1) : -1
    if (stop === -1 || stop - end > longest) return
    const boundary = bytes.slice(end - 1, stop + 1)
    const last = boundary.length - 1
    const steps = new Uint8Array(256).fill(boundary.length)
    for (let at = 0; at < last; at++) steps[boundary[at] as number] = last - at
    this.#habit = { boundary, steps }
  }

  /** After a guess that was wrong. */
  stop(): void {
    this.#habit = undefined
    this.#isOff = true
  }
}

const quote = 0x22
const backslash = 0x5c
const blank = 0x20

const opens = 1
const closes = 2
/** Ends a number or a word that stands by itself. */
const parts = 3
const quotes = 4
const breaks = 5
/** What a byte outside a string means; 0 for most. */
const meaning = new Uint8Array(256)
for (const byte of '{[') meaning[byte.charCodeAt(0)] = opens
for (const byte of '}]') meaning[byte.charCodeAt(0)] = closes
for (const byte of ', \n\r\t') meaning[byte.charCodeAt(0)] = parts
meaning[0x0a] = breaks
meaning[quote] = quotes

/**
 * Finds where JSON values end, in bytes that may come in pieces. It looks at brackets and strings only; whether a value
 * is JSON is for the parser to say.
 */
export class ValueScan {
  #at = 0
  #depth = 0
  #inString = false
  /** How many line breaks are in the value that was last found, those inside strings aside, which no JSON has. */
  lineBreaks = 0

  /**
   * Where the value that starts at `start` ends; -1 when its end has not come yet, and then the next call goes on from
   * there, with bytes that begin with the same value at 0.
   */
  endOf(bytes: Uint8Array, start: number): number {
    const { length } = bytes
    let at = start + this.#at
    let depth = this.#depth
    if (at === start) this.lineBreaks = 0
    if (this.#inString) {
      at = closingQuote(bytes, at)
      if (at >= length) return this.#pause(at - start, depth, true)
      at++
      if (depth === 0) return this.#done(at)
    }
    for (; at < length; at++) {
      const byte = bytes[at] as number
      // Files that are indented are blanks for the most part.
      if (byte === blank && depth > 0) {
        while (bytes[at + 1] === blank) at++
        continue
      }
      const means = meaning[byte]
      if (means === 0 || (means === parts && depth > 0)) continue
      if (means === breaks && depth > 0) {
        this.lineBreaks++
        continue
      }
      if (means === quotes) {
        at = closingQuote(bytes, at + 1)
        if (at >= length) return this.#pause(at - start, depth, true)
        if (depth === 0) return this.#done(at + 1)
      } else if (means === opens) depth++
      else {
        if (depth === 0) return this.#done(at)
        if (--depth === 0) return this.#done(at + 1)
      }
    }
    return this.#pause(at - start, depth, false)
  }

  #pause(at: number, depth: number, inString: boolean): -1 {
    this.#at = at
    this.#depth = depth
    this.#inString = inString
    return -1
  }

  #done(at: number): number {
    this.#at = 0
    this.#depth = 0
    this.#inString = false
    return at
  }
}

const short = 24
const long = 256

/**
 * Most strings are short, and long ones are worth the native search, but not where quotes are dense, as in JSON inside
 * JSON. Past the end where the quote has not come.
 */
function closingQuote(bytes: Uint8Array, from: number): number {
  let at = from
  let stride = short
  while (at < bytes.length) {
    for (const stop = Math.min(at + stride, bytes.length); at < stop; at++) {
      const byte = bytes[at]
      if (byte === quote) return at
      if (byte === backslash) at++
    }
    const found = bytes.indexOf(quote, at)
    const end = found === -1 ? bytes.length : found
    let before = end
    while (before > at && bytes[before - 1] === backslash) before--
    const isEscaped = (end - before) % 2 === 1
    if (found === -1) return isEscaped ? end + 1 : end
    if (!isEscaped) return found
    if (found - at < short) stride = long
    at = found + 1
  }
  return at
}

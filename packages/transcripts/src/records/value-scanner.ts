import { isSpace } from './bytes.js'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * A function that finds the end of the JSON value at `start`: -1 while the end has not arrived; the next call then
 * continues, with bytes that begin with the same value. It checks brackets and strings only and leaves the rest to the
 * parser.
 */
export function valueScanner(): (bytes: Uint8Array, start: number) => number {
  const initial = { at: 0, depth: 0, inString: false }
  let paused = initial
  return (bytes, start) => {
    const { length } = bytes
    let { depth, inString } = paused
    let at = start + paused.at
    paused = initial
    while (at < length) {
      const byte = bytes[at++]
      if (inString) {
        if (byte === backslash) at++
        else if (byte === quote) {
          inString = false
          if (depth === 0) return at
        }
      } else if (byte === quote) inString = true
      else if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return at - 1
        if (--depth === 0) return at
      } else if (depth === 0 && (byte === comma || isSpace(byte))) return at - 1
    }
    paused = { at: at - start, depth, inString }
    return -1
  }
}

import { foundAt } from '../json/index.js'
import type { ByteQueue } from './bytes.js'
import { isSpace, newline, type RawRecord, type Splitter, type Start, textOfBytes, tooLong } from './raw-record.js'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** So many bytes tell what stands where something else was expected. */
const shown = 40

type Phase = 'open' | 'first' | 'value' | 'after' | 'next' | 'closed' | 'stopped'

/**
 * The elements of the file's one array, or documents that follow each other, each over one or more lines. After
 * something that cannot be right nothing more is cut.
 */
export function splitValues(queue: ByteQueue, { line: first, most }: Start, inArray: boolean): Splitter {
  const endOfValue = valueScan()
  let phase: Phase = inArray ? 'open' : 'first'
  let record = 0
  let line = first
  let column = 1
  let pieces: RawRecord[] = []

  const add = (at: number, piece: Pick<RawRecord, 'text' | 'repaired' | 'flaw'>) => {
    pieces.push({ record: ++record, offset: queue.offset + at, line, column, ...piece })
  }
  const stop = (at: number, flaw: string) => {
    add(at, { text: '', error })
    phase = 'stopped'
  }
  const stopAt = (bytes: Uint8Array, at: number, wanted: string) =>
    stop(at, `${wanted}, found ${foundAt(textOfBytes(bytes.subarray(at, at + shown)).text, 0)}`)

  return {
    split(ended) {
      pieces = []
      const { bytes } = queue
      let at = 0
      while (at < bytes.length && phase !== 'stopped') {
        if (phase === 'value') {
          const found = endOfValue(bytes, at)
          const end = found === -1 ? bytes.length : found
          if (end - at > most) {
            stop(at, tooLong(most))
            break
          }
          if (found === -1 && !ended) break
          const read = textOfBytes(bytes.subarray(at, end))
          add(at, read)
          const { text } = read
          let lineStart = 0
          for (let found = text.indexOf('\n'); found !== -1; found = text.indexOf('\n', lineStart)) {
            line++
            lineStart = found + 1
          }
          column = lineStart === 0 ? column + text.length : text.length - lineStart + 1
          phase = inArray ? 'after' : 'first'
          at = end
          continue
        }
        const byte = bytes[at] as number
        if (!isSpace(byte)) {
          const next = inArray ? nextPhase(phase, byte) : isClosing(byte) ? { flaw: 'expected a value' } : 'value'
          if (typeof next === 'object') {
            if (!ended && bytes.length - at < shown) break
            stopAt(bytes, at, next.flaw)
            break
          }
          phase = next
          if (phase === 'value') continue
        }
        at++
        column = byte === newline ? 1 : column + 1
        if (byte === newline) line++
      }
      if (ended && inArray && phase !== 'closed' && phase !== 'stopped') stopAt(bytes, at, 'expected "," or "]"')
      queue.take(phase === 'stopped' ? bytes.length : at)
      return pieces
    },
  }
}

/** What a byte of an array outside its elements means; a message where it cannot stand there. */
function nextPhase(phase: Phase, byte: number): Phase | { flaw: string } {
  if (phase === 'open') return 'first'
  if ((phase === 'first' || phase === 'after') && byte === closeBracket) return 'closed'
  if (phase === 'after') return byte === comma ? 'next' : { flaw: 'expected "," or "]"' }
  if (phase === 'closed') return { flaw: 'expected the end of the document' }
  if (!isClosing(byte)) return 'value'
  return { flaw: phase === 'first' ? 'expected a value' : 'expected another element; remove the comma before it' }
}

const isClosing = (byte: number): boolean => byte === comma || byte === closeBracket || byte === closeBrace

/**
 * Finds where JSON values end, in bytes that may come in pieces: -1 when the end of the value that starts at `start` has
 * not come yet, and then the next call goes on from there, with bytes that begin with the same value. It looks at
 * brackets and strings only; whether a value is JSON is for the parser to say.
 */
function valueScan(): (bytes: Uint8Array, start: number) => number {
  const fresh = { at: 0, depth: 0, inString: false }
  let paused = fresh
  return (bytes, start) => {
    const { length } = bytes
    let { depth, inString } = paused
    let at = start + paused.at
    paused = fresh
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

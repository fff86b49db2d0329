import { isSpace, newline, textOfBytes } from './bytes.js'
import { separatorOf, type TableOptions } from './table.js'
import { valueScanner } from './value-scanner.js'

/** How a file arranges its records. */
export type Layout = 'empty' | 'lines' | 'array' | 'documents' | 'text' | { separator: string }

const sampledLines = 50
/** The number of bytes that always decide. */
const maxHead = 1 << 20
/** The number of bytes needed to check whether the lines after the first are documents. */
const minHead = 1 << 15
const carriageReturn = 0x0d
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * The layout of a file from its first bytes after a byte order mark and blank lines; undefined when more bytes are
 * needed. A file is JSONL if its first line closes the bracket that it opens and the next line begins with one too, or if
 * most of the lines are documents, as after a broken first line. A file that is neither JSON nor a table is text. The result
 * does not depend on the size of the chunks.
 */
export function layoutOf(bytes: Uint8Array, ended: boolean, options: TableOptions = {}): Layout | undefined {
  const head = bytes.subarray(0, maxHead)
  const isAll = ended && bytes.length <= maxHead
  const isEnough = isAll || bytes.length >= maxHead
  const start = skipSpace(head, 0)
  if (start === head.length) return isAll ? 'empty' : isEnough ? 'lines' : undefined
  if (!isEnough && head.length < start + bracketBytes) return undefined
  if (!isOpening(head[start]) || opensText(head, start))
    return isEnough ? layoutOfText(head, isAll, options) : undefined
  const isArray = head[start] === openBracket
  const end = head.indexOf(newline, start)
  if (end === -1) {
    if (!isEnough) return undefined
    if (hasSeveral(head, start)) return 'documents'
    if (isArray) return 'array'
    // Lines that end in CR alone.
    return head.includes(carriageReturn) ? 'documents' : 'lines'
  }
  const next = skipSpace(head, end)
  if (next === head.length && !isEnough) return undefined
  if (isClosed(head, start, end)) {
    if (next === head.length) return hasSeveral(head, start) ? 'documents' : isArray ? 'array' : 'lines'
    if (isOpening(head[next])) return 'lines'
  }
  if (isAll && !isArray && isJson(head)) return 'documents'
  const examined = Math.max(minHead, 2 * end)
  if (!isEnough && bytes.length < examined) return undefined
  if (mostAreDocuments(head.subarray(0, examined), start, isAll && bytes.length <= examined)) return 'lines'
  return isArray ? 'array' : 'documents'
}

/** True if another document follows the first one. */
function hasSeveral(head: Uint8Array, start: number): boolean {
  const end = valueScanner()(head, start)
  return end !== -1 && isOpening(head[skipSpace(head, end)])
}

function layoutOfText(head: Uint8Array, ended: boolean, options: TableOptions): Layout {
  const separator = separatorOf(head.subarray(0, 1 << 16), options)
  if (separator !== undefined) return { separator }
  return mostAreDocuments(head, 0, ended) ? 'lines' : 'text'
}

const bracketBytes = 16

/** True for a date, time or name in brackets, such as `[12/03/24, 10:00]` or `[Ann]`, which begins no JSON. */
function opensText(head: Uint8Array, start: number): boolean {
  const { text } = textOfBytes(head.subarray(start, start + bracketBytes))
  return /^\[(?:\d+[/:-]|\d+\.\d+\.|(?!true|false|null)[\p{L}\p{M}])/u.test(text)
}

const isOpening = (byte: number | undefined): boolean => byte === openBrace || byte === openBracket

function isClosed(bytes: Uint8Array, start: number, end: number): boolean {
  let last = end - 1
  while (isSpace(bytes[last])) last--
  // In ASCII, `]` and `}` are two behind `[` and `{`.
  return bytes[last] === (bytes[start] as number) + 2
}

function skipSpace(head: Uint8Array, from: number): number {
  let at = from
  while (isSpace(head[at])) at++
  return at
}

/** True if at least half of the first complete lines that are not blank are documents. */
function mostAreDocuments(head: Uint8Array, start: number, ended: boolean): boolean {
  const closed: Uint8Array[] = []
  let count = 0
  for (let at = skipSpace(head, start); at < head.length && count < sampledLines; ) {
    // The remaining lines cannot make it half.
    if (count - closed.length > sampledLines / 2) return false
    const found = head.indexOf(newline, at)
    if (found === -1 && !ended) break
    const end = found === -1 ? head.length : found
    count++
    if (isOpening(head[at]) && isClosed(head, at, end)) closed.push(head.subarray(at, end))
    at = skipSpace(head, end)
  }
  // The brackets decide for most files, so parsing comes last.
  return count > 1 && closed.length * 2 >= count && closed.filter(isJson).length * 2 >= count
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(textOfBytes(bytes).text)
    return true
  } catch {
    return false
  }
}

import { isSpace, newline, textOfBytes } from './raw-record.js'
import { separatorOf } from './table.js'

/** How the records of a file lie in it. */
export type Layout = 'empty' | 'lines' | 'array' | 'documents' | { separator: string }

const sampledLines = 50
/** Enough of a file to judge by. */
const enough = 1 << 20
/** Enough to see whether the lines below the first are documents. */
const hesitation = 1 << 15
const carriageReturn = 0x0d
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * The layout of a file by its first bytes behind a byte order mark and blank lines; undefined when more of them are
 * needed. It is JSONL when its first line ends as it begins and the next begins like it, and also when most lines below
 * a broken one are documents, which those of a document over several lines seldom are. However many bytes come at once,
 * the same are judged by.
 */
export function layoutOf(bytes: Uint8Array, ended: boolean): Layout | undefined {
  const head = bytes.subarray(0, enough)
  const isAll = ended && bytes.length <= enough
  const isWhole = isAll || bytes.length >= enough
  const start = pastSpace(head, 0)
  if (start === head.length) return isAll ? 'empty' : isWhole ? 'lines' : undefined
  const opening = head[start]
  if (opening !== openBrace && opening !== openBracket) return isWhole ? ofText(head, isAll) : undefined
  const end = head.indexOf(newline, start)
  if (end === -1) return isWhole ? ofLine(head, opening) : undefined
  const next = pastSpace(head, end)
  if (next === head.length && !isWhole) return undefined
  if (isClosed(head, start, end)) {
    if (next === head.length) return opening === openBracket ? 'array' : 'lines'
    if (head[next] === openBrace || head[next] === openBracket) return 'lines'
  }
  if (isAll && opening === openBrace && isParsed(head)) return 'documents'
  const judged = Math.max(hesitation, 2 * end)
  if (!isWhole && bytes.length < judged) return undefined
  const isJsonl = mostAreDocuments(head.subarray(0, judged), start, isAll && bytes.length <= judged)
  return isJsonl ? 'lines' : opening === openBracket ? 'array' : 'documents'
}

/** A file of one line may have been written with the line ends of old, a CR alone. */
function ofLine(head: Uint8Array, opening: number): Layout {
  if (opening === openBracket) return 'array'
  return head.includes(carriageReturn) ? 'documents' : 'lines'
}

/** True if what starts at `start` ends, before `end`, with the bracket that it opened with. */
function isClosed(bytes: Uint8Array, start: number, end: number): boolean {
  let last = end - 1
  while (isSpace(bytes[last])) last--
  // Both closing brackets of ASCII stand two behind the opening ones.
  return bytes[last] === (bytes[start] as number) + 2
}

function ofText(head: Uint8Array, ended: boolean): Layout {
  const separator = separatorOf(textOfBytes(head.subarray(0, 1 << 16)).text)
  if (separator !== undefined) return { separator }
  return mostAreDocuments(head, 0, ended) ? 'lines' : 'documents'
}

function pastSpace(head: Uint8Array, from: number): number {
  let at = from
  while (isSpace(head[at])) at++
  return at
}

/**
 * True if at least half of the first lines that are not blank and have come to their end are documents. Their brackets
 * alone tell of most files that they are none.
 */
function mostAreDocuments(head: Uint8Array, start: number, ended: boolean): boolean {
  const closed: Uint8Array[] = []
  let count = 0
  // Past blank lines at once, for there may be very many.
  for (let at = pastSpace(head, start); at < head.length && count < sampledLines; ) {
    // The rest cannot make it half.
    if (count - closed.length > sampledLines / 2) return false
    const found = head.indexOf(newline, at)
    if (found === -1 && !ended) break
    const end = found === -1 ? head.length : found
    count++
    const isOpened = head[at] === openBrace || head[at] === openBracket
    if (isOpened && isClosed(head, at, end)) closed.push(head.subarray(at, end))
    at = pastSpace(head, end)
  }
  return count > 1 && closed.length * 2 >= count && closed.filter(isParsed).length * 2 >= count
}

function isParsed(bytes: Uint8Array): boolean {
  try {
    JSON.parse(textOfBytes(bytes).text)
    return true
  } catch {
    return false
  }
}

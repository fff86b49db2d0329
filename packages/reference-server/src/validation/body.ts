import { Refusal } from '../refusal.js'

/** The refusal of a body over its limit in bytes. */
export const tooLarge = (limit: number) => new Refusal(413, `The request body exceeds ${limit} bytes.`)

/** Refuses by the Content-Length, before a byte of the body is read. */
export function checkDeclaredLength(contentLength: string | null | undefined, limit: number): void {
  if (contentLength != null && Number(contentLength) > limit) throw tooLarge(limit)
}

/** `application/json` or a type that ends in `+json`; parameters such as a charset are not looked at. */
function isJson(contentType: string | null): boolean {
  if (contentType === 'application/json') return true
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)
}

/** Deeper JSON is refused: it can be read, but written again only with more stack than there may be. */
const maxDepth = 500

/** It keeps nothing between two whole texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** What was sent as `contentType` → the JSON value in it, or a refusal with the status of the surface. */
export function parseJson(body: Uint8Array, contentType: string | null, status: 400 | 422): unknown {
  if (!isJson(contentType)) throw new Refusal(status, 'The body must be sent with Content-Type: application/json.')
  try {
    const text = utf8.decode(body)
    if (!isNestedDeeper(text, maxDepth)) return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text around the error, which is the user's.
    throw new Refusal(status, 'The body is not valid JSON.')
  }
  throw new Refusal(status, `The body is nested more than ${maxDepth} deep.`)
}

/** Whether the arrays and objects of a JSON text stand inside each other more than `limit` deep. */
export function isNestedDeeper(text: string, limit: number): boolean {
  // As many closing brackets have to follow, so that short texts need no look.
  if (text.length <= 2 * limit) return false
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = endOfString(text, i)
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((unit | 0x20) === 0x7b) {
      depth += 1
      if (depth > limit) return true
    } else if ((unit | 0x20) === 0x7d) depth -= 1
  }
  return false
}

/** Where the string ends that begins at `start`: at its closing quote, or with the text. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === 0x5c) before -= 1
  return (at - before) % 2 === 0
}

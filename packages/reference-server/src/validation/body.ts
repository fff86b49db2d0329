import { Refusal } from '../refusal.js'

export const tooLarge = (limit: number) => new Refusal(413, `The request body exceeds ${limit} bytes.`)

/** Throw a 413 for a Content-Length over the limit, before the body is read. */
export function checkContentLength(contentLength: string | null, limit: number): void {
  if (contentLength !== null && Number(contentLength) > limit) throw tooLarge(limit)
}

/** True if a type is `application/json` or ends in `+json`, with any parameters. */
function isJson(contentType: string | null): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)
}

/** Deeper values are refused: `JSON.stringify` could run out of stack. */
const maxDepth = 500

const [quote, backslash] = ['"', '\\'].map((each) => each.charCodeAt(0))
const isOpening = (byte: number | undefined) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number | undefined) => byte === 0x5d || byte === 0x7d

/** Checked before parsing: many brackets take far more memory as a value than as text. */
function isDeeper(json: Uint8Array, limit: number): boolean {
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    if (isOpening(json[i])) depth++
    else if (isClosing(json[i])) depth--
    else if (json[i] === quote) for (i++; i < json.length && json[i] !== quote; i++) if (json[i] === backslash) i++
    if (depth > limit) return true
  }
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parse a JSON body. Throws a refusal with `status` for another Content-Type, malformed or too deeply nested JSON. */
export function parseJson(body: Uint8Array, contentType: string | null, status: 400 | 422): unknown {
  if (!isJson(contentType)) throw new Refusal(status, 'The body must be sent with Content-Type: application/json.')
  if (isDeeper(body, maxDepth)) throw new Refusal(status, `The body is nested more than ${maxDepth} deep.`)
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    // The parser's own message would quote the user's text.
    throw new Refusal(status, 'The body is not valid JSON.')
  }
}

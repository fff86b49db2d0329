import { Refusal } from '../refusal.js'
import type { AnnotationRequest, ProjectCreate, TranscriptUpload } from '../types.js'
import { truncate, utf8Length } from './text.js'
import {
  anyObject,
  anything,
  assertValid,
  boolean,
  type CharacterUnit,
  isObject,
  isoDate,
  list,
  object,
  oneOf,
  strictViolations,
  string,
  text,
  type Validator,
  type Violation,
} from './validators.js'

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

const charsets = /;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/gi

/** The first declared charset that is not UTF-8, by the labels of the Encoding standard. */
function otherCharset(contentType: string | null): string | undefined {
  const labels = Array.from(contentType?.matchAll(charsets) ?? [], ([, label = '']) => label.replaceAll('"', ''))
  return labels.find((label) => {
    try {
      return new TextDecoder(label).encoding !== 'utf-8'
    } catch {
      return true
    }
  })
}

/** Deeper values are refused: `JSON.stringify` could run out of stack. */
const maxDepth = 500

const isDeeper = (value: unknown, limit: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (limit === 0 || Object.values(value).some((each) => isDeeper(each, limit - 1)))

const codesOf = (signs: string) => Array.from(signs, (sign) => sign.charCodeAt(0))
const [quote = 0, backslash, zero = 0, nine = 0, minus] = codesOf('"\\09-')

function endOfString(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let first = end
    while (json[first - 1] === backslash) first--
    // After an even number of backslashes the quote is not escaped.
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}

const startsNumber = (byte = 0) => (byte >= zero && byte <= nine) || byte === minus
const endsNumber = new Set(codesOf(',]} \t\r\n'))
const latin1 = new TextDecoder('latin1')

/** The problem of the first number that would not come back as it was sent, in valid JSON. */
function numberProblem(json: Uint8Array): string | undefined {
  for (let i = 0; i < json.length; i++) {
    if (json[i] === quote) i = endOfString(json, i)
    else if (startsNumber(json[i])) {
      const start = i
      while (i < json.length && !endsNumber.has(json[i] ?? 0)) i++
      const text = latin1.decode(json.subarray(start, i))
      if (!Number.isFinite(Number(text))) return `The body has a number that is out of range, at byte ${start}.`
      if (isRounded(text))
        return `The body has a whole number beyond 2^53 that would be rounded, at byte ${start}; send it as a string.`
    }
  }
  return undefined
}

/** True if a whole number gets other digits as a number of JavaScript. */
const isRounded = (text: string) => text.length > 15 && /^-?\d+$/.test(text) && String(Number(text)) !== text

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parse a JSON body. Throws a refusal with `status` for another Content-Type or charset, malformed or too deeply nested JSON, and
 * numbers that JavaScript cannot hold.
 */
export function parseJson(body: Uint8Array, contentType: string | null, status: 400 | 422): unknown {
  if (!isJson(contentType)) throw new Refusal(status, 'The body must be sent with Content-Type: application/json.')
  const charset = otherCharset(contentType)
  if (charset !== undefined)
    throw new Refusal(status, `JSON is sent in UTF-8: the Content-Type names the charset "${truncate(charset, 40)}".`)
  const { text, value } = parsed(body, status)
  if (isDeeper(value, maxDepth)) throw new Refusal(status, `The body is nested more than ${maxDepth} deep.`)
  const problem = mayBeWrong.test(text) ? numberProblem(body) : undefined
  if (problem) throw new Refusal(status, problem)
  return value
}

/** A number with less digits and a shorter exponent comes back as it was sent. */
const mayBeWrong = /\d{16}|\de\+?\d{3}/i

function parsed(body: Uint8Array, status: 400 | 422): { text: string; value: unknown } {
  try {
    const text = utf8.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    // The parser's own message would quote the user's text.
    throw new Refusal(status, 'The body is not valid JSON.')
  }
}

const message = object({ role: string, content: string }, { is_user_visible: boolean })
const annotationRequest = object({ transcript: list(message), annotator: string }, { options: anyObject })

const turn = object(
  { role: oneOf(['user', 'assistant', 'system', 'tool', 'human_agent']), content: string },
  {
    toolCalls: list(object({ name: string, args: anything })),
    toolResults: list(object({ name: string, result: anything })),
    metadata: anyObject,
    createdAt: isoDate,
  },
)

export const uploadFields = (unit: CharacterUnit) => ({
  required: { name: text(1, 500, unit), turns: list(turn, 1, 1000) },
  optional: {
    modelName: text(0, 100, unit),
    language: text(0, 10, unit),
    sourceSystem: text(0, 100, unit),
    externalId: text(0, 500, unit),
    externalUserId: text(0, 500, unit),
    metadata: anyObject,
    sourceTimestamp: isoDate,
    process: boolean,
  },
})

/** A body that the interface shows. */
export type BodyShape = 'annotation' | 'project' | 'upload'

const bodies = (unit: CharacterUnit) => {
  const { required, optional } = uploadFields(unit)
  return {
    annotation: annotationRequest,
    project: object({ name: text(1, 500, unit) }, { domain: oneOf(['general', 'ai_coding']) }),
    upload: object(required, optional),
    uploadNames: Object.keys({ ...required, ...optional }),
  }
}
const bodiesBy = { 'code points': bodies('code points'), 'utf-16 units': bodies('utf-16 units') }

/** The violations of a body, with the fields that the service ignores. */
export const bodyViolations = (value: unknown, shape: BodyShape, unit: CharacterUnit): readonly Violation[] =>
  strictViolations(value, bodiesBy[unit][shape])

const refuse = (status: number) => (problems: string) => new Refusal(status, problems)

/** The body of POST /v1/annotations. Throws a 422 with all problems. */
export function readAnnotationRequest(body: unknown): AnnotationRequest {
  assertValid(body, annotationRequest, refuse(422))
  return body as AnnotationRequest
}

/** The body of POST /projects. Throws a 400 with all problems. */
export function readProjectCreate(body: unknown, unit: CharacterUnit): ProjectCreate {
  assertValid(body, bodiesBy[unit].project, refuse(400))
  return body as ProjectCreate
}

/** The known fields of an upload. Throws a 400 with all problems, those that `also` finds first. */
export function readTranscriptUpload(body: unknown, unit: CharacterUnit, also = anything): TranscriptUpload {
  const { upload, uploadNames } = bodiesBy[unit]
  const validator: Validator = (value, out) => {
    also(value, out)
    upload(value, out)
  }
  assertValid(body, validator, refuse(400))
  return Object.fromEntries(
    Object.entries(body as object).filter(([name]) => uploadNames.includes(name)),
  ) as unknown as TranscriptUpload
}

/** Throw a 413 if the content of a turn is over `limit` bytes of UTF-8, even if other fields are invalid. */
export function checkTurnBytes(body: unknown, limit: number): void {
  if (!isObject(body) || !Array.isArray(body.turns)) return
  for (const [index, item] of body.turns.entries()) {
    const content: unknown = isObject(item) ? item.content : undefined
    if (typeof content === 'string' && utf8Length(content) > limit)
      throw new Refusal(413, `/turns/${index}/content: exceeds ${limit} bytes of UTF-8`)
  }
}

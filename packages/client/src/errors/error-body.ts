import { isObject } from '../json.js'
import type { ErrorKind, FieldError } from './errors.js'

export interface ErrorBody {
  type?: string
  detail?: string
  fields: FieldError[]
}

const byStatus: Record<number, ErrorKind> = {
  400: 'invalid_request',
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  408: 'unavailable',
  413: 'too_large',
  422: 'invalid_request',
  429: 'rate_limited',
  501: 'not_implemented',
}

const byType: Record<string, ErrorKind> = {
  authentication_error: 'authentication',
  authorization_error: 'permission',
  invalid_request_error: 'invalid_request',
  not_found_error: 'not_found',
}

/** The kind of an error answer, from its status or, for other statuses, from the service's `type`. */
export function errorKindOf(status: number, type = ''): ErrorKind {
  if (status >= 200 && status < 400) return 'unexpected'
  return byStatus[status] ?? (status >= 500 ? 'unavailable' : (byType[type] ?? 'unexpected'))
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const brief = (text: string) => (text.length > 500 ? `${text.slice(0, 499)}…` : text)

/**
 * Reads `{error, detail}` (surface A), `{error: {message, type, code}}` (surface B), FastAPI's `detail[]`, or a proxy's
 * page. Ignores `input`, which may hold transcript text.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (!isObject(body)) return typeof body === 'string' ? fromText(body) : { fields: [] }
  const { error, message, detail = message } = body
  if (Array.isArray(detail)) {
    const fields = detail
      .filter(isObject)
      .map(({ loc, msg }) => ({ path: pathOf(loc), message: isText(msg) ? msg : 'invalid' }))
    return { fields, detail: brief(fields.map(({ path, message }) => `${path}: ${message}`).join('; ')) }
  }
  if (isObject(error)) {
    return {
      ...(isText(error.type) && { type: error.type }),
      ...(isText(error.message) && { detail: brief(error.message) }),
      fields: [],
    }
  }
  return { ...(isText(error) && { type: error }), ...(isText(detail) && { detail: brief(detail) }), fields: [] }
}

function pathOf(loc: unknown): string {
  const steps = Array.isArray(loc) ? loc.filter((step) => typeof step === 'string' || typeof step === 'number') : []
  return steps.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${step}`)).join('')
}

/** The title of a page, or the first line of plain text; nothing for truncated JSON. */
function fromText(text: string): ErrorBody {
  const line = titleOf(text) ?? (/^\s*[<{[]/.test(text) ? undefined : text.split('\n', 1)[0])
  return { ...(line?.trim() && { detail: line.trim().slice(0, 200) }), fields: [] }
}

/** Without a regular expression, which would be quadratic for a body of many `<title`. */
function titleOf(text: string): string | undefined {
  const open = text.search(/<title/i)
  const start = open < 0 ? -1 : text.indexOf('>', open)
  if (start < 0) return undefined
  const end = text.indexOf('<', start)
  return text.slice(start + 1, end < 0 ? undefined : end) || undefined
}

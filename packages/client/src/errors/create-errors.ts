import { isObject } from '../json.js'
import {
  AmbiguousWriteError,
  ConnectionError,
  type ErrorContext,
  type ErrorKind,
  type FieldError,
  type Fingerprint,
  ServiceError,
} from './errors.js'
import { isUnsent, misconfigurationIn, type NetworkFailure } from './network-failure.js'

/** An error, and its reason without the method and the URL. */
export interface Explained<E> {
  error: E
  reason: string
}

/** What the service asks to wait. */
interface Wait {
  retryAfterMs: number
  retryAt: Date
}

export function serviceError(
  context: ErrorContext,
  status: number,
  given: unknown,
  wait: Wait | undefined,
  key: string | undefined,
  tooLarge = false,
): Explained<ServiceError> {
  // The body of a success or a redirect is not an error body, and may be a transcript.
  const body = maskKey(given, key)
  const read: ErrorBody = status < 400 ? {} : readErrorBody(body)
  const kind = errorKindOf(status, read.type)
  const detail = tooLarge
    ? 'the answer exceeds maxResponseBytes'
    : detailFor(context, status, kind, read.detail, key, body)
  const reason = `${status || 'redirect'} ${kind}${detail ? `: ${detail}` : ''} (${context.method} ${context.url})`
  const error = new ServiceError(`${context.operation}: ${reason}`, context, { status, kind, ...read, body, ...wait })
  return { error, reason }
}

/** Masks the key, plain or encoded, in a value that the service may have copied from the request. */
export function maskKey<T>(given: T, key: string | undefined): T {
  if (!key || given === undefined) return given
  const forms = formsOf(key)
  const hide = (value: string) => forms.reduce((text, form) => text.replace(form, '…'), value)
  const mask = (_: string, value: unknown) =>
    typeof value === 'string'
      ? hide(value)
      : isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [hide(name), each]))
        : value
  return JSON.parse(JSON.stringify(given), mask)
}

/** Matches the key as plain text, URL-encoded, and in base64 at each of the three alignments. */
function formsOf(key: string): RegExp[] {
  const inUrl = [key, encodeURIComponent(key)].map((text) => text.replace(/[^\w-]/g, '\\$&'))
  // The base64 of a short key would match ordinary text.
  const inBase64 = (key.length < 8 ? [] : [0, 1, 2]).map((before) => {
    const text = btoa('\0'.repeat(before) + key)
    // The characters at both ends also encode bits of the neighbouring text.
    const end = Math.floor(((before + key.length) * 8) / 6)
    return text
      .slice(Math.ceil((before * 8) / 6), end)
      .replaceAll('+', '[+-]')
      .replaceAll('/', '[/_]')
  })
  const plain = new RegExp(inUrl.join('|'), 'gi')
  return [plain, ...inBase64.map((text) => new RegExp(`${text}[\\w+/-]?=*`, 'g'))]
}

/** The note on a key that begins with "ey". */
export const tokenNote = 'the key begins with "ey": most endpoints refuse JWT-style tokens'

function detailFor(
  context: ErrorContext,
  status: number,
  kind: ErrorKind,
  detail: string | undefined,
  key: string | undefined,
  body: unknown,
): string | undefined {
  // Browsers report a redirect that is not followed as status 0.
  if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
    return `redirects are not followed${maskKey(targetOf(context), key)}; correct the base URL`
  }
  if (status >= 200 && status < 300) return 'the answer is not the declared JSON'
  const note =
    kind === 'authentication'
      ? key
        ? key.startsWith('ey') && tokenNote
        : 'no key was sent'
      : context.isStamped && namesMetadata(kind, body) && '`stamp: false` sends no metadata.svc'
  return note ? `${detail ?? 'refused'} (${note})` : detail
}

const namesMetadata = (kind: ErrorKind, body: unknown): boolean =>
  kind === 'invalid_request' && /\bmetadata\b|\bsvc\b(?!\.)/.test(JSON.stringify(body))

/**
 * True for the refusal of an upload that names its metadata, as a service does which does not accept the stamp in
 * `metadata.svc`. `stamp: false` sends none.
 */
export const mayRefuseStamp = (error: unknown): boolean =>
  error instanceof ServiceError && namesMetadata(error.kind, error.body)

/** The target of a redirect, without query and credentials; of the path only plain characters, because it may repeat text. */
function targetOf({ headers, url }: ErrorContext): string {
  try {
    const { host, origin, pathname } = new URL(new Headers([...(headers ?? [])]).get('location') ?? 'none:', url)
    return host && ` to ${origin}${/^[\w./~-]{1,99}$/.test(pathname) ? pathname : '/…'}`
  } catch {
    return ''
  }
}

/** The error of a call that the rate limiter holds back, because the reset is too far away. */
export function rateLimitedError(context: ErrorContext, wait: Wait): ServiceError {
  const message = `${context.operation}: 429 rate_limited: not sent; wait until ${wait.retryAt.toISOString()}`
  return new ServiceError(message, context, { status: 429, kind: 'rate_limited', ...wait })
}

export function connectionError(
  context: ErrorContext,
  { phase, cause, code, ms, failure }: NetworkFailure,
): Explained<ConnectionError> {
  const { origin } = new URL(context.url)
  const proxy = (cause as { proxy?: string } | undefined)?.proxy
  const through = proxy ? ` through the proxy ${proxy}` : ''
  const misconfigured = failure === 'mismatch' || failure === 'misconfigured' ? misconfigurationIn(code) : undefined
  const why = misconfigured ? `: ${misconfigured.problem}` : ''
  const timedOut = failure === 'timeout'
  const what = timedOut
    ? `no complete answer within ${Math.round(ms)} ms`
    : misconfigured || isUnsent(failure)
      ? `could not connect to ${origin}${through}${why} (${code})`
      : `the connection broke while ${phase} (${code})`
  const reason = `${what} (${context.method} ${context.url})`
  const error = new ConnectionError(`${context.operation}: ${reason}`, { ...context, cause }, phase, timedOut)
  return { error, reason }
}

export function ambiguousWriteError(
  context: ErrorContext,
  { error: cause, reason }: Partial<Explained<Error>>,
  fingerprint: Fingerprint,
  candidates?: string[],
): AmbiguousWriteError {
  const sent = context.attempts.filter((each) => each.sent !== 'no').length
  const times = sent === 1 ? 'once' : `${sent} times`
  const message = `${context.operation}: sent ${times}, and it may be stored: ${reason}`
  return new AmbiguousWriteError(message, { ...context, cause }, fingerprint, candidates)
}

interface ErrorBody {
  type?: string
  detail?: string
  fields?: FieldError[]
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
  499: 'unavailable',
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
 * Reads `{error, detail}` (surface A), `{error: {message, type, code}}` (surface B), FastAPI's `detail[]`, a proxy's page,
 * or the JSON of a gateway. Ignores `input`, which may hold transcript text.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return fromText(body)
  const { error, detail } = (isObject(body) ? body : {}) as Record<string, unknown>
  const type = isObject(error) ? error.type : error
  const fields = (Array.isArray(detail) ? detail : [])
    .filter((each) => isObject(each) && each.loc)
    .map(({ loc, msg }) => ({ path: pathOf(loc), message: isText(msg) ? msg : 'invalid' }))
  const reason =
    fields.length > 0 ? fields.map(({ path, message }) => `${path}: ${message}`).join('; ') : reasonIn(body, 4)
  return { ...(isText(type) && { type }), ...(reason && { detail: brief(reason) }), fields }
}

const reasonFields = ['detail', 'message', 'msg', 'error', 'errors', 'fault', 'faultstring']

/** The first reason of an object, or all of a list. */
function reasonIn(value: unknown, levels: number): string | undefined {
  if (isText(value)) return value
  if (levels === 0) return undefined
  const reasonOf = (each: unknown) => reasonIn(each, levels - 1)
  if (Array.isArray(value)) return value.map(reasonOf).filter(isText).join('; ')
  return isObject(value) ? reasonFields.map((name) => reasonOf(value[name])).find(isText) : undefined
}

function pathOf(loc: unknown): string {
  const steps = Array.isArray(loc) ? loc.filter((step) => typeof step === 'string' || typeof step === 'number') : []
  return steps.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${step}`)).join('')
}

/** The title of a page, or the first line of its text or of plain text; nothing for truncated JSON. */
function fromText(text: string): ErrorBody {
  // Split, because a regular expression would be quadratic for a body of many `<title`.
  const [, page = ''] = text.split(/<title/i, 2)
  const [title] = page.slice(page.indexOf('>') + 1).split('<', 1)
  const isText = !/^\s*[{[]|<(style|script)/i.test(text)
  const line = (title || (isText ? text.replace(/<[^<>]*>/g, '') : '')).trim().split('\n', 1)[0]
  return { ...(line && { detail: line.trim().slice(0, 200) }), fields: [] }
}

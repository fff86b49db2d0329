import { errorKindOf, readErrorBody } from './error-body.js'
import { AmbiguousWriteError, ConnectionError, type ErrorContext, type Fingerprint, ServiceError } from './errors.js'
import type { NetworkFailure } from './network-errors.js'

export function serviceError(
  context: ErrorContext,
  status: number,
  body: unknown,
  wait: { retryAfterMs: number; retryAt: Date } | undefined,
  key: string | undefined,
  tooLarge = false,
): ServiceError {
  const read = maskKey(readErrorBody(body), key)
  const kind = errorKindOf(status, read.type)
  const reason = tooLarge ? 'the answer exceeds maxResponseBytes' : reasonFor(status, read.detail, key)
  const message = `${context.operation}: ${status || 'redirect'} ${kind}${reason ? `: ${reason}` : ''} (${context.method} ${context.url})`
  return new ServiceError(message, context, { status, kind, ...read, body, ...wait })
}

/** Masks the key, plain or encoded, in a value that the service may have copied from the request. */
export function maskKey<T>(given: T, key: string | undefined): T {
  if (!key || given === undefined) return given
  const forms = formsOf(key)
  const mask = (_: string, value: unknown) =>
    typeof value === 'string' ? forms.reduce((text, form) => text.replace(form, '…'), value) : value
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

function reasonFor(status: number, detail: string | undefined, key: string | undefined): string | undefined {
  // Browsers report a redirect that is not followed as status 0.
  if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
    return 'redirects are not followed, because the key belongs to the base URL; correct the base URL'
  }
  if (status >= 200 && status < 300) return 'the answer is not the JSON that the interface declares'
  if (status === 401 && key?.startsWith('ey')) {
    return `${detail ?? 'the key was not accepted'} (the key begins with "ey": JWT-style tokens are not supported on most endpoints)`
  }
  return detail
}

/** The error of a call that the rate limiter holds back, because the reset is too far away. */
export function rateLimitedError(context: ErrorContext, closedUntil: number, now: number): ServiceError {
  const wait = { retryAfterMs: closedUntil - now, retryAt: new Date(closedUntil) }
  const message = `${context.operation}: 429 rate_limited: not sent; an earlier 429 asked to wait until ${wait.retryAt.toISOString()}`
  return new ServiceError(message, context, { status: 429, kind: 'rate_limited', fields: [], body: undefined, ...wait })
}

export function connectionError(
  context: ErrorContext,
  { phase, cause, code, ms, failure }: NetworkFailure,
): ConnectionError {
  const timedOut = failure === 'timeout'
  const proxy = (cause as { proxy?: string } | undefined)?.proxy
  const what =
    failure === 'timeout'
      ? `no complete answer within ${Math.round(ms)} ms`
      : failure === 'lost'
        ? `the connection broke while ${phase} (${code})`
        : `could not connect to ${new URL(context.url).origin}${proxy ? ` through the proxy ${proxy}` : ''} (${code})`
  const message = `${context.operation}: ${what} (${context.method} ${context.url})`
  return new ConnectionError(message, { ...context, cause }, phase, timedOut)
}

export function ambiguousWriteError(
  context: ErrorContext,
  cause: Error,
  fingerprint: Fingerprint,
): AmbiguousWriteError {
  const why = cause.message.slice(context.operation.length + 2)
  const sent = context.attempts.filter((each) => each.sent !== 'no').length
  const times = sent === 1 ? 'once' : `${sent} times`
  const message = `${context.operation}: sent ${times}, and it may be stored: ${why}`
  return new AmbiguousWriteError(message, { ...context, cause }, fingerprint)
}

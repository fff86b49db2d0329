import type { Exchange } from './attempt.js'
import { type ErrorBody, kindOf, readErrorBody } from './error-body.js'
import { AmbiguousWriteError, ConnectionError, type ErrorContext, type Fingerprint, ServiceError } from './errors.js'

/** The error for an answer that is not the declared success. */
export function refused(
  context: ErrorContext,
  status: number,
  body: unknown,
  wait: { retryAfterMs: number; retryAt: Date } | undefined,
  key: string | undefined,
): ServiceError {
  const read = hidden(readErrorBody(body), key)
  const kind = kindOf(status, read)
  const said = explain(status, read.detail, key)
  const message = `${context.operation}: ${status || 'redirect'} ${kind}${said ? `: ${said}` : ''} (${context.method} ${context.url})`
  return new ServiceError(message, context, { status, kind, ...read, body, ...wait })
}

/** A service may repeat the key that it does not know. */
function hidden(read: ErrorBody, key: string | undefined): ErrorBody {
  if (!key) return read
  const hide = (_: string, value: unknown) => (typeof value === 'string' ? value.replaceAll(key, '…') : value)
  return JSON.parse(JSON.stringify(read), hide)
}

function explain(status: number, detail: string | undefined, key: string | undefined): string | undefined {
  // A browser shows a redirect that was not followed as status 0.
  if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
    return 'redirects are not followed, because the key belongs to the base URL; correct the base URL'
  }
  if (status >= 200 && status < 300) return 'the answer is not the JSON that the interface declares'
  if (status === 401 && key?.startsWith('ey')) {
    return `${detail ?? 'the key was not accepted'} (the key begins with "ey": JWT-style tokens are not supported on most endpoints)`
  }
  return detail
}

/** The error for a call that would have to wait too long behind another call's 429. */
export function refusedAtGate(context: ErrorContext, closedUntil: number, now: number): ServiceError {
  const wait = { retryAfterMs: closedUntil - now, retryAt: new Date(closedUntil) }
  const message = `${context.operation}: 429 rate_limited: not sent, because an earlier call was asked to wait until ${wait.retryAt.toISOString()}`
  return new ServiceError(message, context, { status: 429, kind: 'rate_limited', fields: [], body: undefined, ...wait })
}

/** The error for an attempt that brought no whole answer. */
export function disconnected(
  context: ErrorContext,
  exchange: Exclude<Exchange, { response: unknown }>,
): ConnectionError {
  const { phase, cause, code, ms, failure } = exchange
  const timedOut = failure === 'timeout'
  const what = {
    timeout: `no complete answer within ${Math.round(ms)} ms`,
    unreached: `could not reach ${new URL(context.url).origin} (${code})`,
    untrusted: `the certificate of ${new URL(context.url).origin} was not accepted (${code})`,
    lost: `the connection broke while ${phase} (${code})`,
  }[failure]
  const message = `${context.operation}: ${what} (${context.method} ${context.url})`
  return new ConnectionError(message, { ...context, cause }, phase, timedOut)
}

/** The error for a write that may have been stored. */
export function ambiguous(context: ErrorContext, cause: Error, fingerprint: Fingerprint): AmbiguousWriteError {
  const why = cause.message.slice(context.operation.length + 2)
  const sent = context.attempts.filter((each) => each.sent !== 'no').length
  const times = sent === 1 ? 'once' : `${sent} times`
  const message = `${context.operation}: sent ${times}, it is not known whether this was stored: ${why}`
  return new AmbiguousWriteError(message, { ...context, cause }, fingerprint)
}

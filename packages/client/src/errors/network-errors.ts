import type { Phase } from './errors.js'

/** An attempt without a complete answer. */
export interface NetworkFailure {
  failure: ReturnType<typeof failureOf> | 'timeout'
  phase: Phase
  cause?: unknown
  code: string
  /** The status of a truncated answer. */
  status?: number | undefined
  ms: number
}

const unreached = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_PROXY_REFUSED',
])
const untrusted = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|HOSTNAME_MISMATCH)/

/**
 * Classifies the error of a fetch: `unreached` and `untrusted` (TLS) if its code proves that nothing was sent. Anything
 * else, such as every error in a browser, is `lost` after sending.
 */
export function failureOf(error: unknown): 'unreached' | 'untrusted' | 'lost' {
  const codes = codesOf(error)
  if (codes.some((code) => untrusted.test(code))) return 'untrusted'
  return codes.length > 0 && codes.every((code) => unreached.has(code)) ? 'unreached' : 'lost'
}

/** The system codes of an error, such as `ECONNREFUSED`; one for each address that was tried. */
export function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const { code, cause, errors, syscall } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((each) => codesOf(each, depth + 1))
  if (code === 'ETIMEDOUT' && syscall === 'connect') return ['UND_ERR_CONNECT_TIMEOUT']
  const inner = codesOf(cause, depth + 1)
  if (inner.length > 0) return inner
  const own = typeof code === 'string' ? code : codeInMessage(error)
  return own === undefined ? [] : [own]
}

/** Deno gives the cause only in the message. */
function codeInMessage({ message }: { message?: unknown }): string | undefined {
  if (typeof message !== 'string' || !message.includes(': client error (Connect): ')) return undefined
  return Object.entries(connectErrors).find(([text]) => message.includes(text))?.[1]
}

const connectErrors = {
  'Connection refused': 'ECONNREFUSED',
  'dns error': 'ENOTFOUND',
  'invalid peer certificate': 'CERT_INVALID',
}

/** The system code of an error, else its name; never its message, which may contain a URL, a key or a body. */
export const reasonOf = (error: unknown): string =>
  codesOf(error)[0] ?? (error instanceof Error ? error.name : 'unknown')

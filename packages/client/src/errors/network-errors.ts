import type { Phase } from './errors.js'

/** How an attempt without a whole answer ended. */
export interface NetworkFailure {
  failure: ReturnType<typeof failureOf> | 'timeout'
  phase: Phase
  cause?: unknown
  code: string
  /** The status, where the answer broke off after it. */
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
 * What the error of a fetch says about its request: `unreached` and `untrusted` (TLS) mean that nothing was sent. Only
 * known causes do; whatever is not recognised, as in browsers, is `lost` after sending.
 */
export function failureOf(error: unknown): 'unreached' | 'untrusted' | 'lost' {
  const codes = codesOf(error)
  if (codes.some((code) => untrusted.test(code))) return 'untrusted'
  return codes.length > 0 && codes.every((code) => unreached.has(code)) ? 'unreached' : 'lost'
}

/** The system's codes behind an error, as in `ECONNREFUSED`; several where several addresses were tried. */
export function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const { code, cause, errors, syscall } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((each) => codesOf(each, depth + 1))
  if (code === 'ETIMEDOUT' && syscall === 'connect') return ['UND_ERR_CONNECT_TIMEOUT']
  const inner = codesOf(cause, depth + 1)
  if (inner.length > 0) return inner
  const own = typeof code === 'string' ? code : codeInWords(error)
  return own === undefined ? [] : [own]
}

/** Deno tells in words only why it could not connect. */
function codeInWords({ message }: { message?: unknown }): string | undefined {
  if (typeof message !== 'string' || !message.includes(': client error (Connect): ')) return undefined
  return Object.entries(connectErrors).find(([words]) => message.includes(words))?.[1]
}

const connectErrors = {
  'Connection refused': 'ECONNREFUSED',
  'dns error': 'ENOTFOUND',
  'invalid peer certificate': 'CERT_INVALID',
}

/** An error in one word: its system code, else its name. Never its message, which may hold a URL, a key or a body. */
export const reasonOf = (error: unknown): string =>
  codesOf(error)[0] ?? (error instanceof Error ? error.name : 'unknown')

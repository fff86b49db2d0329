import { connectingCall, connectingCode, misconfigurations } from '#network-codes'
import type { Phase } from './errors.js'

/**
 * The failure of a request without a complete answer:
 * `unreached`: nothing was sent, and a retry may succeed.
 * `misconfigured`: nothing was sent, and every retry fails until the base URL or the certificate is corrected.
 * `mismatch`: every retry fails too, but the transport did not show that nothing was sent.
 * `lost`: the request may have been sent.
 */
export type Failure = 'unreached' | 'misconfigured' | 'mismatch' | 'lost'

/** An attempt without a complete answer. */
export interface NetworkFailure {
  failure: Failure | 'timeout'
  phase: Phase
  cause?: unknown
  code: string
  /** The status of a truncated answer. */
  status?: number | undefined
  ms: number
}

/** The cause of an attempt that ended with a time-out. */
export const timedOut = 'time-out'

/** True if the request certainly did not reach the service. */
export const isUnsent = (failure: NetworkFailure['failure']): boolean =>
  failure === 'unreached' || failure === 'misconfigured'

/**
 * The setting to correct after a failed connection, from the code of its error (the `cause` of an attempt): the trusted
 * certificates, or the `protocol`, which is the scheme and port of the base URL or the TLS versions. Undefined for any
 * other code, after which a later call may succeed.
 *
 * @example
 * misconfigurationOf('ERR_SSL_WRONG_VERSION_NUMBER') // 'protocol'
 */
export function misconfigurationOf(code: string): 'certificate' | 'protocol' | undefined {
  return misconfigurationIn(code)?.setting
}

/** The setting to correct, and the problem with it. */
export const misconfigurationIn = (
  code: string,
): { setting: 'certificate' | 'protocol'; problem: string } | undefined =>
  misconfigurations.find(({ codes }) => codes.test(code))

/**
 * Decides from the rejection of a transport if the request may have reached the service. A transport that saw that
 * the connection, with its TLS handshake, was not established sets `phase: 'connecting'`. Without it, an error of a system
 * call such as `read` or `write` is one of an established connection, whatever its code. Anything that is not recognized,
 * such as every error in a browser, is `lost`.
 */
export function failureOf(error: unknown): Failure {
  const isConnecting = Object(error).phase === 'connecting'
  const failures = causesOf(error).map((cause) => failureOfCause(cause, isConnecting))
  const worst = (['lost', 'mismatch', 'misconfigured'] as const).find((each) => failures.includes(each))
  return worst ?? (isConnecting || failures.length > 0 ? 'unreached' : 'lost')
}

function failureOfCause({ code, syscall }: Cause, isConnecting: boolean): Failure {
  const misconfigured = misconfigurationOf(code)
  if (isConnecting) return misconfigured ? 'misconfigured' : 'unreached'
  if (misconfigured === 'protocol') return 'mismatch'
  if (syscall !== undefined) return connectingCall.test(syscall) ? 'unreached' : 'lost'
  if (misconfigured) return 'misconfigured'
  return connectingCode.test(code) ? 'unreached' : 'lost'
}

interface Cause {
  code: string
  syscall: string | undefined
}

/** The innermost errors with a code; one for each address that was tried. */
function causesOf(error: unknown, depth = 0): Cause[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const { code, cause, errors, syscall } = error as Record<string, unknown>
  // An address whose error has no code counts as lost.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.map((each) => causesOf(each, depth + 1)[0] ?? { code: '', syscall: undefined })
  }
  const inner = causesOf(cause, depth + 1)
  if (inner.length > 0 || typeof code !== 'string') return inner
  return [{ code, syscall: typeof syscall === 'string' ? syscall : undefined }]
}

/** The code of an error, else its name; never its message, which may contain a URL, a key or a body. */
export const reasonOf = (error: unknown): string =>
  causesOf(error)[0]?.code || (error instanceof Error ? error.name : 'unknown')

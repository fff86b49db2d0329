import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, isUnsent, misconfigurationOf, reasonOf } from './network-failure.js'
import { safeCause } from './safe-cause.js'

const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause })
const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })

const systemCodes = fc.constantFrom(
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE'],
  ...['EPERM', 'EACCES', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENOBUFS', 'UND_ERR_SOCKET'],
)
const establishedCalls = fc.constantFrom('read', 'write', 'writev', 'shutdown', 'recv', 'send')
const earlierCalls = fc.constantFrom('connect', 'getaddrinfo', 'queryA', 'queryAaaa', 'bind', 'socket')
/** As the runtime rejects: the error itself, or the cause of a fetch, as the client keeps it. */
const rejection = (error: Error, isNested: boolean) => safeCause(isNested ? fetchFailed(error) : error)

describe('the failure of a request', () => {
  it('never says "not sent" for an error of an established connection, whatever its code', () => {
    const codes = fc.oneof(systemCodes, fc.constantFrom('EPROTO', 'CERT_HAS_EXPIRED'), fc.string())
    fc.assert(
      fc.property(codes, establishedCalls, fc.boolean(), (code, syscall, isNested) => {
        expect(isUnsent(failureOf(rejection(withCode(code, { syscall }), isNested)))).toBe(false)
      }),
    )
  })

  it('says that nothing was sent for every error of connecting and of the resolver', () => {
    fc.assert(
      fc.property(systemCodes, earlierCalls, fc.boolean(), (code, syscall, isNested) => {
        expect(failureOf(rejection(withCode(code, { syscall }), isNested))).toBe('unreached')
      }),
    )
  })

  it('says that nothing was sent if the transport saw that the connection was not established', () => {
    const call = fc.oneof(establishedCalls, earlierCalls, fc.constant(undefined))
    fc.assert(
      fc.property(systemCodes, call, (code, syscall) => {
        expect(failureOf(rejection(withCode(code, { syscall, phase: 'connecting' }), false))).toBe('unreached')
      }),
    )
    expect(failureOf(safeCause(Object.assign(new Error('x'), { phase: 'connecting' })))).toBe('unreached')
  })

  it.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_PROXY_REFUSED'].map(
      (code) => [code, 'unreached'] as const,
    ),
    ...[
      'ECONNRESET',
      'EHOSTUNREACH',
      'ETIMEDOUT',
      'EPIPE',
      'UND_ERR_SOCKET',
      'UND_ERR_HEADERS_TIMEOUT',
      'ESOMETHING',
    ].map((code) => [code, 'lost'] as const),
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'INVALID_CA'].map(
      (code) => [code, 'misconfigured'] as const,
    ),
    ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'].map(
      (code) => [code, 'mismatch'] as const,
    ),
    ...['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'ERR_SSL_UNEXPECTED_EOF_WHILE_READING'].map(
      (code) => [code, 'lost'] as const,
    ),
  ])('of %s without a system call is "%s"', (code, failure) => {
    expect(failureOf(fetchFailed(withCode(code)))).toBe(failure)
  })

  it('a mismatch of protocols in an unfinished handshake sent nothing, and is not retried', () => {
    const slashed = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'
    for (const code of ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', slashed]) {
      expect(failureOf(withCode(code, { syscall: 'write', phase: 'connecting' }))).toBe('misconfigured')
      expect(misconfigurationOf(code)).toBe('protocol')
    }
  })

  it('counts several addresses as unreached only when each of them was', () => {
    const refused = withCode('ECONNREFUSED', { syscall: 'connect' })
    const of = (...errors: unknown[]) => failureOf(fetchFailed(new AggregateError(errors)))
    expect(of(refused, refused)).toBe('unreached')
    expect(of(refused, withCode('ECONNRESET', { syscall: 'read' }))).toBe('lost')
    expect(of(refused, new Error('no code'))).toBe('lost')
  })

  it('is lost after sending if the cause is unknown, as in browsers', () => {
    expect(failureOf(new TypeError('Failed to fetch'))).toBe('lost')
    expect(failureOf('a string')).toBe('lost')
    expect(failureOf(undefined)).toBe('lost')
  })

  it('does not depend on the text of a message', () => {
    const message =
      'error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)'
    expect(failureOf(fetchFailed(new Error(message)))).toBe('lost')
  })

  it('ends on a cause that contains itself', () => {
    const error = new Error('loop')
    error.cause = error
    expect(reasonOf(error)).toBe('Error')
  })

  it('is reported by its code or name, never by its message', () => {
    expect(reasonOf(fetchFailed(withCode('ECONNRESET')))).toBe('ECONNRESET')
    expect(reasonOf(new TypeError('request with Bearer sk-secret failed'))).toBe('TypeError')
    expect(reasonOf('a string')).toBe('unknown')
  })
})

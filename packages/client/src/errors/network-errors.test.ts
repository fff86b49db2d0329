import { describe, expect, it } from 'vitest'
import { codesOf, failureOf, reasonOf } from './create-errors.js'

const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause })
const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })

describe('the cause of a rejected fetch', () => {
  it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'says that nothing was sent for %s',
    (code) => {
      expect(failureOf(fetchFailed(withCode(code)))).toBe('unreached')
    },
  )

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ESOMETHING'])(
    'says that the request may have been acted on for %s',
    (code) => {
      expect(failureOf(fetchFailed(withCode(code)))).toBe('lost')
    },
  )

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'says that the server is not trusted for %s',
    (code) => {
      expect(failureOf(fetchFailed(withCode(code)))).toBe('untrusted')
    },
  )

  it('counts several addresses as unreached only when each of them was', () => {
    const refused = withCode('ECONNREFUSED')
    expect(failureOf(fetchFailed(new AggregateError([refused, refused])))).toBe('unreached')
    expect(failureOf(fetchFailed(new AggregateError([refused, withCode('ECONNRESET')])))).toBe('lost')
  })

  it('distinguishes a connect time-out from a read time-out', () => {
    expect(failureOf(fetchFailed(withCode('ETIMEDOUT', { syscall: 'connect' })))).toBe('unreached')
    expect(failureOf(fetchFailed(withCode('ETIMEDOUT', { syscall: 'read' })))).toBe('lost')
  })

  it('the cause of a rejected fetch is lost after sending if it is unknown, as in browsers', () => {
    expect(failureOf(new TypeError('Failed to fetch'))).toBe('lost')
    expect(failureOf('a string')).toBe('lost')
    expect(failureOf(undefined)).toBe('lost')
  })

  it('ends on a cause that contains itself', () => {
    const error = new Error('loop')
    error.cause = error
    expect(codesOf(error)).toEqual([])
  })

  it('the cause of a rejected fetch is reported by its code or name, never by its message', () => {
    expect(reasonOf(fetchFailed(withCode('ECONNRESET')))).toBe('ECONNRESET')
    expect(reasonOf(new TypeError('request with Bearer sk-secret failed'))).toBe('TypeError')
    expect(reasonOf('a string')).toBe('unknown')
  })
})

import { AmbiguousWriteError, ConnectionError, InputError, ServiceError } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { exitCodeFor } from './errors.js'
import { CliError, type ExitCode, exit, exitCodeForMany } from './exit.js'

const context = { operation: 'o', surface: 'workspace' as const, method: 'GET', url: 'https://svc.test', attempts: [] }
const refused = (status: number, kind: ServiceError['kind']) =>
  new ServiceError('m', context, { status, kind, fields: [], body: undefined })
const unreached = (cause: string) =>
  new ConnectionError('m', { ...context, attempts: [{ cause, ms: 1, sent: 'no' }] }, 'connecting', false)

describe('the exit code of an error', () => {
  it.each<[string, unknown, ExitCode]>([
    ['a stated one', new CliError(exit.input, 'm'), 3],
    ['a key that is missing', new InputError('missing_key', 'm', 'o'), 4],
    ['a key with strange characters', new InputError('invalid_key', 'm', 'o'), 4],
    ['a base URL that is missing', new InputError('missing_base_url', 'm', 'o'), 3],
    ['an id that would climb', new InputError('invalid_id', 'm', 'o'), 3],
    ['401', refused(401, 'authentication'), 4],
    ['403', refused(403, 'permission'), 4],
    ['404', refused(404, 'not_found'), 5],
    ['400', refused(400, 'invalid_request'), 6],
    ['413', refused(413, 'too_large'), 6],
    ['501', refused(501, 'not_implemented'), 6],
    ['a redirect', refused(302, 'unexpected'), 6],
    ['429', refused(429, 'rate_limited'), 75],
    ['503', refused(503, 'unavailable'), 75],
    ['a server that is not there', unreached('ECONNREFUSED'), 75],
    ['a certificate', unreached('CERT_HAS_EXPIRED'), 3],
    ['a write with an unknown outcome', new AmbiguousWriteError('m', context, {}), 10],
    ['SIGINT', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['anything else', new TypeError('m'), 1],
    ['nothing', undefined, 1],
  ])('the exit code fits %s', (_, error, code) => {
    expect(exitCodeFor(error)).toBe(code)
  })
})

describe('the exit code of many items', () => {
  it('the exit code of many items is the code of the item if there is only one', () => {
    for (const code of [0, 5, 6, 10] as ExitCode[]) expect(exitCodeForMany([code])).toBe(code)
  })

  it('the exit code of many items is the first that applies in the promised order', () => {
    expect(exitCodeForMany([])).toBe(0)
    expect(exitCodeForMany([0, 0])).toBe(0)
    expect(exitCodeForMany([0, 6])).toBe(8)
    expect(exitCodeForMany([0, 5])).toBe(8)
    expect(exitCodeForMany([6, 10])).toBe(10)
    expect(exitCodeForMany([10, 75, 6])).toBe(75)
    expect(exitCodeForMany([75, 4])).toBe(4)
    expect(exitCodeForMany([4, 1, 10])).toBe(1)
    expect(exitCodeForMany([1, 143])).toBe(143)
    expect(exitCodeForMany([143, 130])).toBe(130)
  })
})

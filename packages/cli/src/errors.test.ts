import { ConnectionError, createClient, type ErrorKind, ServiceError } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { describe as describeError } from './errors.js'

interface More {
  type?: string
  url?: string
  surface?: 'annotation' | 'workspace'
}

const answered = (status: number, kind: ErrorKind, more: More = {}) => {
  const { type, url = 'https://svc.test/public/api/v1/projects', surface = 'workspace' } = more
  const context = { operation: 'projects.list', surface, method: 'GET', url, attempts: [] }
  return new ServiceError('m', context, { status, kind, fields: [], body: undefined, ...(type && { type }) })
}
const broken = (cause: string) =>
  new ConnectionError(
    'm',
    {
      ...{ operation: 'projects.list', surface: 'workspace', method: 'GET', url: 'https://svc.test' },
      attempts: [{ cause, ms: 1, sent: 'no' }],
    },
    'connecting',
    false,
  )

describe('the hint of an error', () => {
  it.each<[string, unknown, string]>([
    [
      'a 404 without the usual path of surface B',
      answered(404, 'not_found', { url: 'https://svc.test/projects?page=1' }),
      '404 at https://svc.test/projects: the base URL of surface B (SVC_PUBLIC_BASE_URL) usually ends in /public/api/v1',
    ],
    [
      'a 404 of surface A at the base URL of surface B',
      answered(404, 'not_found', { url: 'https://svc.test/public/api/v1/v1/annotators', surface: 'annotation' }),
      'that is SVC_PUBLIC_BASE_URL',
    ],
    ['a 404 with it', answered(404, 'not_found'), 'check the id and the base URLs'],
    [
      'a 402 of the service',
      answered(402, 'unexpected', { type: 'quota_error' }),
      'the quota of the workspace is used up',
    ],
    [
      'another 4xx of the service',
      answered(418, 'unexpected', { type: 'tea' }),
      'the service refused the request (418)',
    ],
    ['a 408 of the service', answered(408, 'unavailable', { type: 'timeout' }), 'run the command again later'],
    ['a 451 of the service', answered(451, 'unexpected', { type: 'legal' }), 'the service refused the request (451)'],
    ['a 402 of another server', answered(402, 'unexpected'), 'another server may have answered'],
    ['a certificate that is not trusted', broken('CERT_HAS_EXPIRED'), 'set NODE_EXTRA_CA_CERTS'],
    ['a port without TLS', broken('EPROTO'), 'correct the scheme or the port of the base URL'],
    ['a TLS port', broken('ERR_SSL_HTTP_REQUEST'), 'correct the scheme or the port of the base URL'],
    ['a server that is not there', broken('ECONNREFUSED'), 'whether the service is up'],
  ])('the hint fits %s', (_, error, hint) => {
    expect(describeError(error).hint).toContain(hint)
  })

  it('the message of a base URL leaves out the advice to use options of the library', () => {
    const create = () => createClient({ environment: {}, apiKey: 'k', baseUrl: 'http://a.test' })
    expect(create).toThrow(
      'createClient: baseUrl would send the key over plain http to a.test; use https, or allowHttp: true.',
    )
    try {
      create()
    } catch (error) {
      expect(describeError(error).message).toBe('baseUrl would send the key over plain http to a.test.')
    }
  })
})

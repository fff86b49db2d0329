import { describe, expect, it } from 'vitest'
import { AmbiguousWriteError, InputError, ServiceError } from '../../../packages/client/src/index.js'
import { failureOf, json, networkError, scripted } from '../../../packages/client/test/fixtures/scripted.js'

describe('svc.request', () => {
  it('sends method, path, query and body below the base URL of the surface, with its key', async () => {
    const { svc, requests } = scripted([json({ data: [1] }), json({ ok: true }, 201)])
    const at = new Date('2026-01-02T03:04:05Z')
    expect(await svc.request('workspace', 'get', '/reports', { query: { q: 'a b', at, none: undefined } })).toEqual({
      data: [1],
    })
    expect(await svc.request('annotation', 'POST', '/v1/new', { body: { a: 1 } })).toEqual({ ok: true })
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'https://svc.test/public/api/v1/reports?q=a%20b&at=2026-01-02T03%3A04%3A05.000Z', ''],
      ['POST', 'https://svc.test/v1/new', '{"a":1}'],
    ])
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer sk-service-api03-secret',
      'Bearer sk-service-api03-secret',
    ])
  })

  it('resolves to the text of an answer that is not JSON', async () => {
    const { svc } = scripted([new Response('openapi: 3.1.0')])
    expect(await svc.request('annotation', 'GET', '/openapi.yaml')).toBe('openapi: 3.1.0')
  })

  it('retries a GET after 503, and rejects with a ServiceError after a 404', async () => {
    const { svc, clock, requests } = scripted([json({}, 503), json({ error: { type: 'not_found_error' } }, 404)])
    const error = await clock.until(failureOf(svc.request('workspace', 'GET', '/reports')))
    expect(error).toBeInstanceOf(ServiceError)
    expect([error.operation, error.kind, error.type, requests.length]).toEqual([
      'request',
      'not_found',
      'not_found_error',
      2,
    ])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'sends a %s once, and rejects with an AmbiguousWriteError if its answer is lost',
    async (method) => {
      for (const lost of [networkError('ECONNRESET'), json({}, 502)]) {
        const { svc, requests } = scripted([lost])
        const error = await failureOf(svc.request('workspace', method, '/reports', { body: {} }))
        expect(error).toBeInstanceOf(AmbiguousWriteError)
        expect(requests).toHaveLength(1)
      }
    },
  )

  it.each(['projects', '//host/x', '/a/../b', '/a/%2E%2e', '/a?b=c', '/a#b', '/a b', '/{id}', '/a\\b', '/..'])(
    'refuses the path %s before anything is sent',
    async (path) => {
      const { svc, requests } = scripted([])
      const error = await failureOf(svc.request('workspace', 'GET', path))
      expect(error).toBeInstanceOf(InputError)
      expect(error.message).toContain(path.startsWith('/') ? JSON.stringify(path) : 'a path such as /projects')
      expect(requests).toEqual([])
    },
  )

  it('refuses an unknown surface and an unknown option before anything is sent', async () => {
    const { svc, requests } = scripted([])
    expect(await failureOf(svc.request('other' as 'workspace', 'GET', '/a'))).toMatchObject({
      message: 'request: expected annotation or workspace as the surface.',
    })
    expect(await failureOf(svc.request('workspace', 'GET', '/a', {}, { timeout: 1 } as never))).toBeInstanceOf(
      InputError,
    )
    const misspelt = svc.request('workspace', 'GET', '/a', { qery: { limit: 1 } } as never)
    expect(await failureOf(misspelt)).toMatchObject({
      message: 'request: unknown option "qery". Did you mean "query"?',
    })
    expect(requests).toEqual([])
  })
})

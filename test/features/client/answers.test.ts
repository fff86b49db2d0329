import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SvcClient } from '../../../packages/client/src/client.js'
import { AmbiguousWriteError, ServiceError } from '../../../packages/client/src/errors/index.js'
import {
  failureOf,
  json,
  networkError,
  project,
  scripted,
  upload,
} from '../../../packages/client/test/fixtures/scripted.js'

describe('an answer', () => {
  it('an answer is a service error of one shape, whichever envelope it came in', async () => {
    const { svc } = scripted([
      json({ error: 'gone', detail: 'no annotator' }, 404),
      json({ error: { message: 'no project', type: 'not_found_error', code: 404 } }, 404),
      json({ detail: [{ loc: ['path', 'batch_id'], msg: 'bad', type: 't' }] }, 422),
      new Response('<html><title>403 Forbidden</title></html>', { status: 403 }),
      new Response(null, { status: 401, headers: { 'x-request-id': 'r-7' } }),
    ])
    const a = await failureOf(svc.annotations.create({ annotator: 'x', transcript: [] }))
    const b = await failureOf(svc.projects.get('hp-1'))
    const c = await failureOf(svc.batches.get('b'))
    const d = await failureOf(svc.projects.get('hp-1'))
    const e = await failureOf(svc.projects.get('hp-1'))
    expect(a).toMatchObject({ kind: 'not_found', type: 'gone', detail: 'no annotator', surface: 'annotation' })
    expect(b).toMatchObject({ kind: 'not_found', type: 'not_found_error', detail: 'no project', surface: 'workspace' })
    expect(c).toMatchObject({ kind: 'invalid_request', fields: [{ path: 'path.batch_id', message: 'bad' }] })
    expect(d).toMatchObject({ kind: 'permission', detail: '403 Forbidden' })
    expect(e).toMatchObject({ kind: 'authentication', requestId: 'r-7', attempts: [{ status: 401, sent: 'yes' }] })
    expect(a.message).toBe('annotations.create: 404 not_found: no annotator (POST https://svc.test/v1/annotations)')
  })

  it('an answer that is not the declared JSON is never a success on a read', async () => {
    for (const body of ['<html>hello</html>', '', '"text"', '[]', '{"data":7}']) {
      const { svc, requests } = scripted([new Response(body)])
      expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({
        name: 'ServiceError',
        kind: 'unexpected',
        status: 200,
      })
      expect(requests).toHaveLength(1)
    }
  })

  it('an answer without the fields that the client relies on is not a success', async () => {
    const calls: [unknown, (svc: SvcClient) => Promise<unknown>][] = [
      [{}, (svc) => svc.health()],
      [{ annotators: null }, (svc) => svc.annotators.list()],
      [{ outcome: 'strong' }, (svc) => svc.annotations.create({ annotator: 'a', transcript: [] })],
      [{ data: {} }, (svc) => svc.projects.get('hp-1')],
      [{ data: [null] }, (svc) => svc.transcripts.list('hp-1')],
    ]
    for (const [body, call] of calls) {
      expect(await failureOf(call(scripted([json(body)]).svc))).toMatchObject({
        name: 'ServiceError',
        kind: 'unexpected',
      })
    }
    expect(await failureOf(scripted([json({ data: {} }, 201)]).svc.projects.create({ name: 'P' }))).toBeInstanceOf(
      AmbiguousWriteError,
    )
  })

  it('an answer that cannot be read leaves a write ambiguous, with the fingerprint that was sent', async () => {
    const { svc, requests } = scripted([new Response('<html>', { status: 201 })])
    const reused = { ...upload }
    const failed = failureOf(svc.transcripts.upload('hp-1', reused))
    reused.name = 'the next one'
    const error = await failed
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(error.fingerprint).toEqual({
      name: 'A conversation',
      turn_count: 1,
      external_id: 'e1',
      source_timestamp: null,
    })
    expect(requests).toHaveLength(1)
  })

  it('an answer that redirects is refused by every method, with a clear error', async () => {
    for (const status of [301, 302, 307, 308]) {
      const { svc, requests } = scripted([new Response(null, { status, headers: { location: 'https://evil.test' } })])
      const error = await failureOf(svc.transcripts.upload('hp-1', upload))
      expect(error).toMatchObject({ name: 'ServiceError', kind: 'unexpected', status })
      expect(error.message).toContain('redirects are not followed')
      expect(requests).toHaveLength(1)
    }
  })

  it('an answer of 501 is final after one request', async () => {
    const { svc, requests } = scripted([json({ error: 'not_implemented', detail: 'v1' }, 501)])
    expect(await failureOf(svc.batches.create({}))).toMatchObject({ kind: 'not_implemented', status: 501 })
    expect(requests).toHaveLength(1)
  })

  it('explains a refused key of the JWT style', async () => {
    const { svc } = scripted([json({}, 401)], { apiKey: 'eyJhbGciOi' })
    expect((await failureOf(svc.projects.list())).message).toContain('JWT-style')
  })

  it('an answer comes with its response, request id and attempts on request', async () => {
    const { svc } = scripted([json(project, 200, { 'x-request-id': 'r-1' })])
    const { data, response, requestId, attempts } = await svc.projects.get('hp-1').withResponse()
    expect(data.id).toBe('hp-1')
    expect(await response.json()).toEqual(project)
    expect(requestId).toBe('r-1')
    expect(attempts).toEqual([{ status: 200, ms: 0, sent: 'yes' }])
  })

  it('an answer that fails is handled by the caller of withResponse', async () => {
    const { svc } = scripted([json({}, 404)])
    await expect(svc.projects.get('hp-1').withResponse()).rejects.toBeInstanceOf(ServiceError)
  })
})

describe('the status and headers of an error', () => {
  it('the status and headers of an error are those of the last answer, also of an ambiguous write', async () => {
    const refused = scripted([json({}, 404, { 'x-region': 'eu' })])
    const error = await failureOf(refused.svc.projects.get('hp-1'))
    expect([error.status, error.headers.get('x-region')]).toEqual([404, 'eu'])
    const lost = scripted([json({}, 502, { 'x-region': 'us' })])
    const ambiguous = await failureOf(lost.svc.projects.create({ name: 'P' }))
    expect([ambiguous.name, ambiguous.status, ambiguous.headers.get('x-region')]).toEqual([
      'AmbiguousWriteError',
      502,
      'us',
    ])
  })

  it('the status and headers of an error are undefined without an answer, and the headers are never printed', async () => {
    const broken = scripted([networkError('ECONNREFUSED')], { retry: false })
    const error = await failureOf(broken.svc.projects.list())
    expect([error.name, error.status, error.headers]).toEqual(['ConnectionError', undefined, undefined])
    const refused = await failureOf(scripted([json({}, 404, { 'x-echo': 'my words' })]).svc.projects.get('hp-1'))
    expect(inspect(refused) + JSON.stringify(refused)).not.toContain('my words')
  })
})

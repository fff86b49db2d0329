import { describe, expect, expectTypeOf, it } from 'vitest'
import { failureOf, json, networkError, scripted, upload } from '../../test/fixtures/scripted.js'
import type { ServiceError } from '../errors/index.js'
import type { components as A } from '../generated/annotation.js'
import type { components as B } from '../generated/workspace.js'
import type { ServiceErrorOf } from '../types.js'
import { declaredErrors, isKeyRefusal, isServiceError } from './declared-errors.js'

const annotate = (answer: Response) =>
  failureOf(scripted([answer]).svc.annotations.create({ annotator: 'a', transcript: [] }, { retry: false }))

describe('isServiceError', () => {
  it('knows a declared refusal by its status and its envelope', async () => {
    for (const status of [401, 403, 404, 422, 429, 502, 503]) {
      expect(isServiceError(await annotate(json({ error: 'e', detail: 'd' }, status)), 'annotations.create')).toBe(true)
    }
    const bad = await failureOf(
      scripted([json({ error: { type: 'not_found_error' } }, 404)]).svc.transcripts.upload('hp-1', upload),
    )
    expect(isServiceError(bad, 'transcripts.upload')).toBe(true)
  })

  it('isServiceError is false for another status, another envelope, another operation and no service error', async () => {
    expect(isServiceError(await annotate(json({ error: 'e', detail: 'd' }, 418)), 'annotations.create')).toBe(false)
    expect(isServiceError(await annotate(json({ error: { type: 't' } }, 404)), 'annotations.create')).toBe(false)
    expect(isServiceError(await annotate(new Response('<html>', { status: 502 })), 'annotations.create')).toBe(false)
    expect(isServiceError(await annotate(json({ error: 'e', detail: 'd' }, 401)), 'annotators.list')).toBe(false)
    expect(isServiceError(new Error('m'), 'health')).toBe(false)
  })

  it('isServiceError is false at every declared status for a body that is no object, or has no part of the envelope', () => {
    const bodies = [null, undefined, 'text', [], { error: null, detail: 'd' }, { error: 'e', detail: 7 }]
    for (const [operation, envelopes] of Object.entries(declaredErrors()))
      for (const [status, isDeclared] of Object.entries(envelopes))
        for (const body of bodies)
          expect(isDeclared?.(body), `${operation} ${status} ${JSON.stringify(body)}`).toBe(false)
  })

  it('narrows status and body together, exhaustively', () => {
    type Failed = ServiceErrorOf<'transcripts.upload'>
    expectTypeOf<Failed['status']>().toEqualTypeOf<400 | 401 | 403 | 404 | 413 | 429>()
    expectTypeOf<Extract<Failed, { status: 401 }>['body']>().toEqualTypeOf<B['schemas']['AuthenticationError']>()
    expectTypeOf<ServiceErrorOf<'annotations.create'>['body']>().toEqualTypeOf<A['schemas']['ErrorResponse']>()
    expectTypeOf<ServiceErrorOf<'health'>>().toBeNever()
    const next = (error: Failed): string => {
      switch (error.status) {
        case 400:
        case 404:
        case 413:
          return error.body.error.type
        case 401:
        case 403:
          return error.body.error.message
        case 429:
          return String(error.retryAt)
      }
    }
    expectTypeOf(next).returns.toBeString()
  })
})

describe('isKeyRefusal', () => {
  const list = (answer: Response | Error) => failureOf(scripted([answer]).svc.projects.list({}, { retry: false }))
  const envelopes = {
    annotation: { error: 'forbidden', detail: 'The key is revoked.' },
    workspace: { error: { message: 'No.', type: 'authorization_error', code: 403 } },
  }

  it('is true for 401 and 403 with the envelope of the surface, also through svc.request', async () => {
    for (const status of [401, 403]) {
      expect(isKeyRefusal(await annotate(json(envelopes.annotation, status)))).toBe(true)
      expect(isKeyRefusal(await list(json(envelopes.workspace, status)))).toBe(true)
      const { svc } = scripted([json(envelopes.workspace, status)])
      expect(isKeyRefusal(await failureOf(svc.request('workspace', 'GET', '/reports')))).toBe(true)
    }
  })

  it.each<[string, () => Response]>([
    ['a page', () => new Response('<title>Request blocked</title>', { status: 403 })],
    ['an empty body', () => new Response(null, { status: 403 })],
    ['the JSON of a gateway', () => json({ message: 'Forbidden' }, 403)],
    ['an error without a type', () => json({ error: { message: 'Forbidden', code: 403 } }, 403)],
    ['another status', () => json(envelopes.workspace, 404)],
  ])('isKeyRefusal is false for %s', async (_, answer) => {
    expect(isKeyRefusal(await list(answer()))).toBe(false)
  })

  it('leaves an error that is no refusal of the key a ServiceError', () => {
    const rest = (error: ServiceError) => (isKeyRefusal(error) ? undefined : error)
    expectTypeOf(rest).returns.toEqualTypeOf<ServiceError | undefined>()
  })

  it('is false for the envelope of the other surface, and for other errors', async () => {
    expect(isKeyRefusal(await list(json(envelopes.annotation, 403)))).toBe(false)
    expect(isKeyRefusal(await annotate(json(envelopes.workspace, 403)))).toBe(false)
    expect(isKeyRefusal(await list(networkError('ECONNREFUSED')))).toBe(false)
    expect(isKeyRefusal(new Error('m'))).toBe(false)
  })
})

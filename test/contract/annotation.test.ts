import { type AnnotationRequest, ServiceError } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { refusal } from '../refusal.js'
import { createSession } from '../session.js'

const talk = [
  { role: 'user', content: 'Where is order 7?' },
  { role: 'assistant', content: 'I am unable to help with that.' },
  { role: 'user', content: 'This is ridiculous, let me speak to a human.' },
]

describe('GET /health', () => {
  it('answers without a key, with status and substrate', async () => {
    const { client } = createSession({ substrate: 'fargate' })
    expect(await client({ apiKey: '' }).health()).toEqual({ status: 'ok', substrate: 'fargate' })
  })
})

describe('GET /v1/annotators', () => {
  it('lists the registry with versions and descriptions', async () => {
    const { svc } = createSession()
    const annotators = await svc.annotators.list()
    expect(annotators.map(({ id }) => id)).toEqual(['structural', 'patterns'])
    for (const each of annotators) {
      expect(each).toEqual({
        id: expect.any(String),
        annotator_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        taxonomy_version: expect.any(String),
        description: expect.stringMatching(/\w/),
      })
    }
  })

  it('needs a key in one reading and none in the other', async () => {
    const strict = createSession()
    expect(await refusal(strict.client({ apiKey: '' }).annotators.list())).toMatchObject({ status: 401 })
    const open = createSession({ readings: { annotatorsNeedKey: false } })
    expect(await open.client({ apiKey: '' }).annotators.list()).toHaveLength(2)
  })
})

describe('POST /v1/annotations', () => {
  it('gives evidence that stands word for word in the turn that it names', async () => {
    const { svc } = createSession()
    for (const annotator of ['structural', 'patterns']) {
      const annotation = await svc.annotations.create({ transcript: talk, annotator })
      expect(annotation.annotator).toBe(annotator)
      expect(Object.keys(annotation.signals).length).toBeGreaterThan(0)
      for (const { turn, evidence } of Object.values(annotation.signals)) {
        expect(turn).toBeGreaterThanOrEqual(1)
        expect(talk[(turn ?? 0) - 1]?.content).toContain(evidence)
      }
    }
  })

  it('is the same for the same transcript', async () => {
    const { svc } = createSession()
    const request = { transcript: talk, annotator: 'patterns' }
    expect(await svc.annotations.create(request)).toEqual(await svc.annotations.create(request))
  })

  it('judges an empty transcript indeterminate', async () => {
    const { svc } = createSession()
    expect(await svc.annotations.create({ transcript: [], annotator: 'structural' })).toMatchObject({
      outcome: 'indeterminate',
      signals: {},
    })
  })

  it('carries the versions of the listing', async () => {
    const { svc } = createSession()
    const [listed] = await svc.annotators.list()
    const annotation = await svc.annotations.create({ transcript: talk, annotator: 'structural' })
    expect(annotation.annotator_version).toBe(listed?.annotator_version)
    expect(annotation.taxonomy_version).toBe(listed?.taxonomy_version)
  })

  it('uses the annotators that a team plugs in, with the options of the request', async () => {
    const annotator = {
      id: 'mine',
      annotator_version: '9.9.9',
      taxonomy_version: '1',
      description: 'ours',
      annotate: ({ options }: AnnotationRequest) => ({
        summary: { title: 't', keywords: [], summary: 's', quality_concerns: 'none', user_intent: 'u', domain: 'd' },
        outcome: 'strong' as const,
        outcome_notes: `depth ${options?.depth}`,
        signals: {},
      }),
    }
    const { svc } = createSession({ annotators: [annotator] })
    const annotation = await svc.annotations.create({ transcript: talk, annotator: 'mine', options: { depth: 1 } })
    expect(annotation).toMatchObject({ outcome: 'strong', outcome_notes: 'depth 1', annotator_version: '9.9.9' })
  })

  it('refuses an unknown annotator with 404', async () => {
    const { svc } = createSession()
    const error = await refusal(svc.annotations.create({ transcript: talk, annotator: 'nope' }))
    expect(error).toMatchObject({ status: 404, kind: 'not_found' })
    expect(error.detail).toContain('structural')
  })

  it('refuses an invalid body with 422 and every violation, in the envelope of surface A', async () => {
    const { svc } = createSession()
    const bad = { transcript: [{ role: 1 }, 'text'], options: [] } as never
    const error = await refusal(svc.annotations.create(bad))
    expect(error).toMatchObject({ status: 422, kind: 'invalid_request', fields: [] })
    expect(error.body).toEqual({ error: expect.any(String), detail: expect.any(String) })
    for (const field of ['annotator', 'role', 'content', 'options']) expect(error.detail).toContain(field)
  })

  it('is refused with 429 and Retry-After at the end of the fixed window', async () => {
    const { svc, clock } = createSession({ limits: { requests: 2, windowMs: 60_000 } })
    const annotate = () => svc.annotations.create({ transcript: [], annotator: 'structural' })
    await annotate()
    await annotate()
    const error = await refusal(
      svc.with({ retry: false }).annotations.create({ transcript: [], annotator: 'structural' }),
    )
    expect(error).toMatchObject({ status: 429, kind: 'rate_limited' })
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_000)
    const waited = annotate()
    await clock.advance((error.retryAfterMs ?? 0) + 2_000)
    expect((await waited).outcome).toBe('indeterminate')
  })
})

describe('the batch endpoints', () => {
  it('answer 501 with the envelope, whatever is sent, after one request', async () => {
    const { svc, server } = createSession()
    for (const call of [svc.batches.create({ any: 'thing' }), svc.batches.create(), svc.batches.get('b1')]) {
      const error = await refusal(call)
      expect(error).toMatchObject({ status: 501, kind: 'not_implemented' })
      expect(error.body).toEqual({ error: expect.any(String), detail: expect.any(String) })
    }
    expect(server.requests).toHaveLength(3)
  })

  it('answer a malformed id with a validation error', async () => {
    const { svc } = createSession()
    const error = await refusal(svc.batches.get('x'.repeat(256)))
    expect(error).toMatchObject({ status: 422, kind: 'invalid_request', fields: [{ path: 'path.batch_id' }] })
    expect(error).toBeInstanceOf(ServiceError)
  })

  it('need a key', async () => {
    const { client } = createSession()
    expect(await refusal(client({ apiKey: 'wrong' }).batches.get('b1'))).toMatchObject({ status: 401 })
  })
})

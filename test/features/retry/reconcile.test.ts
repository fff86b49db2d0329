import { AmbiguousWriteError, type ClientEvent } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'
import { conversation, createUploadSession, type PostBehavior } from './upload-session.js'

describe('an upload whose answer was lost', () => {
  it.each<[string, PostBehavior]>([
    ['the connection was reset', { stores: 'before', answer: 'reset' }],
    ['no answer came in time', { stores: 'before', answer: 'stall' }],
    ['a proxy answered 504', { stores: 'before', answer: 504 }],
    ['the service answered 500 after storing it', { stores: 'before', answer: 500 }],
    ['the service stored it 3 s after the connection was reset', { stores: { afterMs: 3_000 }, answer: 'reset' }],
  ])('finds a stored upload whose answer was lost: %s', async (_, behavior) => {
    const { upload, stored, posts } = createUploadSession([behavior])
    const { id } = await upload()
    expect([stored(), posts()]).toEqual([[id], 1])
  })

  it.each<[string, PostBehavior]>([
    ['after two queries if the service answered 503', { stores: 'never', answer: 503 }],
    ['after the time-out and a second query if the connection was reset', { stores: 'never', answer: 'reset' }],
  ])('sends an upload again that was not stored: %s', async (_, behavior) => {
    const { upload, stored, posts } = createUploadSession([behavior])
    const { id } = await upload()
    expect([stored(), posts()]).toEqual([[id], 2])
  })

  it.each([
    [30, 2, 'waited for', 30_000],
    [60, 2, 'waited for', 60_000],
    [90, 1, 'too long to wait for', 0],
  ])(
    'does not send an upload again before Retry-After: %i s means %i POSTs, because it is %s',
    async (seconds, sends, _, ms) => {
      const { upload, posts, clock } = createUploadSession([{ stores: 'never', answer: 503, retryAfter: `${seconds}` }])
      const startedAt = clock.now()
      const result = await upload()
      expect([posts(), clock.now() - startedAt, result instanceof AmbiguousWriteError]).toEqual([
        sends,
        ms,
        sends === 1,
      ])
    },
  )

  it('is unknown if an equal record without a stamp looks at most ten minutes older, because clocks differ', async () => {
    const { upload, stored, server, id, clock } = createUploadSession([{ stores: 'never', answer: 503 }])
    server.world.createTranscript(server.world.project(id) ?? expect.unreachable(), conversation as never)
    await clock.advance(590_000)
    const [older] = stored()
    expect(await upload()).toMatchObject({ name: 'AmbiguousWriteError', candidates: [older] })
    expect(stored()).toHaveLength(1)
  })

  it('does not match an older record, or one with the same name and external id but other turns', async () => {
    const concurrent = { ...conversation, turns: [...conversation.turns, ...conversation.turns] }
    const { upload, stored, server, id, clock } = createUploadSession([{ stores: 'never', answer: 503 }], {
      concurrent,
    })
    server.world.createTranscript(server.world.project(id) ?? expect.unreachable(), conversation as never)
    await clock.advance(601_000)
    const before = stored()
    const uploaded = await upload()
    expect(before).not.toContain(uploaded.id)
    expect(server.world.transcript(uploaded.id)?.turns).toHaveLength(1)
  })

  it('finds a lost upload by its stamp although an identical one exists', async () => {
    const { upload, server, stored } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      concurrent: conversation,
    })
    const { id } = await upload({ metadata: { mine: true } })
    expect(stored()).toHaveLength(2)
    expect(server.world.transcript(id)?.record.metadata).toMatchObject({
      mine: true,
      svc: { key: expect.any(String), occurrence: 1, write: expect.any(String) },
    })
  })

  it("finds a lost upload by the caller's stamp, which stays unchanged", async () => {
    const { upload, server, stored } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      concurrent: conversation,
    })
    const { id } = await upload({ metadata: { svc: { key: 'mine', occurrence: 2 } } })
    expect(stored()).toHaveLength(2)
    expect(server.world.transcript(id)?.record.metadata).toEqual({ svc: { key: 'mine', occurrence: 2 } })
  })

  it('finds a lost upload that was given as JSON, by its content or by its stamp', async () => {
    const behavior: PostBehavior = { stores: 'before', answer: 'reset' }
    const { svc, id: project, clock, stored, posts } = createUploadSession([behavior, behavior])
    const upload = (more: object) =>
      clock.until(svc.transcripts.uploadJson(project, JSON.stringify({ ...conversation, ...more })))
    const plain = await upload({})
    const marked = await upload({ metadata: { svc: { key: 'k-1' } } })
    expect([stored().sort(), posts()]).toEqual([[plain.id, marked.id].sort(), 2])
  })

  it('measures the time-out of an upload from when it was sent, not from when it was queued', async () => {
    const { upload, stored, posts, clock } = createUploadSession([
      { stores: 'never', answer: 'limited' },
      { stores: { afterMs: 40_000 }, answer: 'reset' },
    ])
    const { id } = await upload()
    await clock.advance(120_000)
    expect([stored(), posts()]).toEqual([[id], 2])
  })

  it('does not search for a lost upload with retry: false', async () => {
    const { svc, id, clock, server } = createUploadSession([{ stores: 'before', answer: 'reset' }])
    const call = svc.transcripts.upload(id, conversation, { retry: false }).catch((error: unknown) => error)
    expect(await clock.until(call)).toBeInstanceOf(AmbiguousWriteError)
    expect(server.requests).toHaveLength(1)
  })

  it('emits aborted with sent: maybe if the caller aborts during the search', async () => {
    const events: ClientEvent[] = []
    const { svc, id, clock } = createUploadSession([{ stores: 'never', answer: 'reset' }], {
      onEvent: (event) => events.push(event),
    })
    const stop = new AbortController()
    const call = svc.transcripts.upload(id, conversation, { signal: stop.signal }).catch((error: unknown) => error)
    await clock.advance(1_000)
    stop.abort('enough')
    expect(await call).toBe('enough')
    expect(events.at(-1)).toMatchObject({ operation: 'transcripts.upload', type: 'aborted', sent: 'maybe' })
    expect(clock.pending).toEqual([])
  })

  it('does not match the record of an identical upload of the same client', async () => {
    const { svc, id, stored, clock } = createUploadSession([
      { stores: 'before', answer: 'ok' },
      { stores: 'never', answer: 503 },
    ])
    const both = Promise.all([svc.transcripts.upload(id, conversation), svc.transcripts.upload(id, conversation)])
    const ids = (await clock.until(both)).map((each) => each.id)
    expect(new Set(ids).size).toBe(2)
    expect(new Set(stored())).toEqual(new Set(ids))
  })

  it('throws an AmbiguousWriteError after the last attempt of the policy', async () => {
    const { upload, posts } = createUploadSession(
      [1, 2, 3, 4].map((): PostBehavior => ({ stores: 'never', answer: 503 })),
    )
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(3)
  })

  it('throws an AmbiguousWriteError with both candidates if two records match', async () => {
    const { upload, stored } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      concurrent: conversation,
      stamp: false,
    })
    const error = await upload()
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(error).toMatchObject({ candidates: expect.arrayContaining(stored()) })
  })

  it('throws an AmbiguousWriteError if the key cannot read', async () => {
    const { upload, posts } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      permissions: ['projects-write'],
    })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('throws an AmbiguousWriteError if the deadline comes before absence is proven', async () => {
    const { upload, posts } = createUploadSession([{ stores: 'never', answer: 'reset' }], { deadlineMs: 20_000 })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('throws an AmbiguousWriteError if the list is long and not ordered by time', async () => {
    const session = createSession()
    const { id } = session.server.world.createProject({ name: 'P' }).record
    let posts = 0
    const fetch: RequestHandler = async (request) => {
      if (request.method === 'POST') {
        posts++
        return new Response('{}', { status: 503 })
      }
      const days = [...Array(100).keys()].map((i) => ((i * 7) % 28) + 1)
      const rows = days.map((day, i) => ({
        id: `${request.url}${i}`,
        created_at: new Date(Date.UTC(2020, 0, day)).toISOString(),
      }))
      const pagination = { page: 1, limit: 100, total: 1_000 }
      const date = new Date(session.clock.now()).toUTCString()
      return Response.json({ data: rows, pagination, processing_time_ms: 0 }, { headers: { date } })
    }
    const svc = session.client({ fetch })
    const error = await session.clock.until(
      svc.transcripts.upload(id, conversation).catch((failure: unknown) => failure),
    )
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(posts).toBe(1)
  })

  it('throws an AmbiguousWriteError without a search with reconcile: false', async () => {
    const { upload, posts } = createUploadSession([{ stores: 'before', answer: 'reset' }], { reconcile: false })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('never stores an upload twice, and never loses one without an error', async () => {
    const behavior = fc.record<PostBehavior>({
      stores: fc.oneof(
        fc.constantFrom<PostBehavior['stores']>('before', 'never'),
        fc.record({ afterMs: fc.integer({ min: 1, max: 55_000 }) }),
      ),
      answer: fc.constantFrom<PostBehavior['answer']>('reset', 'stall', 504, 'ok'),
    })
    // Refused by rate: not stored, and the next attempt has to queue.
    const limited: PostBehavior = { stores: 'never', answer: 'limited' }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: behavior }, { weight: 1, arbitrary: fc.constant(limited) }), {
          maxLength: 4,
        }),
        fc.boolean(),
        async (behaviors, stamp) => {
          const { upload, stored, clock } = createUploadSession(behaviors, { stamp })
          const result = await upload()
          await clock.advance(60_000)
          expect(stored().length).toBeLessThanOrEqual(1)
          if (!(result instanceof Error)) expect(stored()).toEqual([result.id])
          else expect(result).toBeInstanceOf(AmbiguousWriteError)
        },
      ),
      { numRuns: runs(20) },
    )
  })
})

describe('a project whose answer was lost', () => {
  it('finds a lost project by its name, and not an older one of the same name', async () => {
    const { svc, clock, server, posts } = createUploadSession([{ stores: 'before', answer: 'reset' }])
    server.world.createProject({ name: 'Support' })
    await clock.advance(10_000)
    const project = await clock.until(svc.projects.create({ name: 'Support' }))
    expect(project.created_at).toBe(new Date(clock.now()).toISOString())
    expect([server.world.projects().length, posts()]).toEqual([3, 1])
  })
})

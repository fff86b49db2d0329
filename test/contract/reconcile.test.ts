import { AmbiguousWriteError, type ClientEvent, type Fetch } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSession } from '../session.js'
import { type Fate, inDoubt, talk } from './in-doubt.js'

describe('an upload whose answer was lost', () => {
  it.each<[string, Fate]>([
    ['its connection was reset', { commits: 'before', answer: 'reset' }],
    ['no answer came in time', { commits: 'before', answer: 'stall' }],
    ['a proxy gave up on it', { commits: 'before', answer: 504 }],
    ['the service failed after storing it', { commits: 'before', answer: 500 }],
    ['it was stored seconds later', { commits: { afterMs: 3_000 }, answer: 'reset' }],
  ])('is found where it was stored, although %s', async (_, fate) => {
    const { upload, stored, posts } = inDoubt([fate])
    const { id } = await upload()
    expect([stored(), posts()]).toEqual([[id], 1])
  })

  it.each<[string, Fate]>([
    ['after two looks, when the service had answered', { commits: 'never', answer: 503 }],
    ['after its time-out and more, when it had not', { commits: 'never', answer: 'reset' }],
  ])('is sent again where it was not stored: %s', async (_, fate) => {
    const { upload, stored, posts } = inDoubt([fate])
    const { id } = await upload()
    expect([stored(), posts()]).toEqual([[id], 2])
  })

  it.each([
    [30, 2, 'waited for', 30_000],
    [90, 1, 'too long to wait for', 5_000],
  ])('is not sent again before a Retry-After of %i s has passed: %i sent, it is %s', async (seconds, sends, _, ms) => {
    const { upload, posts, clock } = inDoubt([{ commits: 'never', answer: 503, retryAfter: `${seconds}` }])
    const startedAt = clock.now()
    const outcome = await upload()
    expect([posts(), clock.now() - startedAt, outcome instanceof AmbiguousWriteError]).toEqual([sends, ms, sends === 1])
  })

  it('is never taken for an older one, nor for another with the same name and external id', async () => {
    const twin = { ...talk, turns: [...talk.turns, ...talk.turns] }
    const { upload, stored, server, id, clock } = inDoubt([{ commits: 'never', answer: 503 }], { twin })
    server.world.createTranscript(server.world.project(id) ?? expect.unreachable(), talk as never)
    await clock.advance(10_000)
    const before = stored()
    const uploaded = await upload()
    expect(before).not.toContain(uploaded.id)
    expect(server.world.transcript(uploaded.id)?.turns).toHaveLength(1)
  })

  it('is found for certain by its stamp, although another is equal to the letter', async () => {
    const { upload, server, stored } = inDoubt([{ commits: 'before', answer: 'reset' }], { twin: talk })
    const { id } = await upload({ metadata: { mine: true } })
    expect(stored()).toHaveLength(2)
    expect(server.world.transcript(id)?.record.metadata).toMatchObject({
      mine: true,
      svc: { key: expect.any(String), occurrence: 1, write: expect.any(String) },
    })
  })

  it("is found by a stamp of the caller's own, which is left as it is", async () => {
    const { upload, server, stored } = inDoubt([{ commits: 'before', answer: 'reset' }], { twin: talk })
    const { id } = await upload({ metadata: { svc: { key: 'mine', occurrence: 2 } } })
    expect(stored()).toHaveLength(2)
    expect(server.world.transcript(id)?.record.metadata).toEqual({ svc: { key: 'mine', occurrence: 2 } })
  })

  it('is found by what it says where it is written already, and by its own stamp', async () => {
    const fate: Fate = { commits: 'before', answer: 'reset' }
    const { svc, id: project, clock, stored, posts } = inDoubt([fate, fate])
    const upload = (more: object) =>
      clock.until(svc.transcripts.upload(project, { json: JSON.stringify({ ...talk, ...more }) }))
    const plain = await upload({})
    const marked = await upload({ metadata: { svc: { key: 'k-1' } } })
    expect([stored().sort(), posts()]).toEqual([[plain.id, marked.id].sort(), 2])
  })

  it('is given its time from when it was sent, not from when its call began to queue', async () => {
    const { upload, stored, posts, clock } = inDoubt([
      { commits: 'never', answer: 'limited' },
      { commits: { afterMs: 40_000 }, answer: 'reset' },
    ])
    const { id } = await upload()
    await clock.advance(120_000)
    expect([stored(), posts()]).toEqual([[id], 2])
  })

  it('is not looked for where one request is to be sent, whatever comes back', async () => {
    const { svc, id, clock, server } = inDoubt([{ commits: 'before', answer: 'reset' }])
    const call = svc.transcripts.upload(id, talk, { retry: false }).catch((error: unknown) => error)
    expect(await clock.until(call)).toBeInstanceOf(AmbiguousWriteError)
    expect(server.requests).toHaveLength(1)
  })

  it('says that it may have been sent when it is stopped while it is looked for', async () => {
    const events: ClientEvent[] = []
    const { svc, id, clock } = inDoubt([{ commits: 'never', answer: 'reset' }], {
      onEvent: (event) => events.push(event),
    })
    const stop = new AbortController()
    const call = svc.transcripts.upload(id, talk, { signal: stop.signal }).catch((error: unknown) => error)
    await clock.advance(1_000)
    stop.abort('enough')
    expect(await call).toBe('enough')
    expect(events.at(-1)).toMatchObject({ operation: 'transcripts.upload', type: 'aborted', sent: 'maybe' })
    expect(clock.pending).toEqual([])
  })

  it('is never taken for another call of the same client, equal to the letter', async () => {
    const { svc, id, stored, clock } = inDoubt([
      { commits: 'before', answer: 'ok' },
      { commits: 'never', answer: 503 },
    ])
    const both = Promise.all([svc.transcripts.upload(id, talk), svc.transcripts.upload(id, talk)])
    const ids = (await clock.until(both)).map((each) => each.id)
    expect(new Set(ids).size).toBe(2)
    expect(new Set(stored())).toEqual(new Set(ids))
  })

  it('stays in doubt after as many attempts as the policy allows', async () => {
    const { upload, posts } = inDoubt([1, 2, 3, 4].map((): Fate => ({ commits: 'never', answer: 503 })))
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(3)
  })

  it('stays in doubt when two may be it, with both as candidates', async () => {
    const { upload, stored } = inDoubt([{ commits: 'before', answer: 'reset' }], { twin: talk, stamp: false })
    const error = await upload()
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(error).toMatchObject({ candidates: expect.arrayContaining(stored()) })
  })

  it('stays in doubt when the key may not read', async () => {
    const { upload, posts } = inDoubt([{ commits: 'before', answer: 'reset' }], { permissions: ['projects-write'] })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('stays in doubt when the deadline leaves no time to be sure', async () => {
    const { upload, posts } = inDoubt([{ commits: 'never', answer: 'reset' }], { deadlineMs: 20_000 })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('stays in doubt when the list is long and in no order of time, so that it may stand where nobody looked', async () => {
    const session = createSession()
    const { id } = session.server.world.createProject({ name: 'P' }).record
    let posts = 0
    const fetch: Fetch = async (request) => {
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
    const error = await session.clock.until(svc.transcripts.upload(id, talk).catch((failure: unknown) => failure))
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(posts).toBe(1)
  })

  it('stays in doubt when nobody is to look for it', async () => {
    const { upload, posts } = inDoubt([{ commits: 'before', answer: 'reset' }], { reconcile: false })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })

  it('never ends in two transcripts, nor in a lost one without an error, whatever becomes of it', async () => {
    const fate = fc.record<Fate>({
      commits: fc.oneof(
        fc.constantFrom<Fate['commits']>('before', 'never'),
        fc.record({ afterMs: fc.integer({ min: 1, max: 55_000 }) }),
      ),
      answer: fc.constantFrom<Fate['answer']>('reset', 'stall', 504, 'ok'),
    })
    // Refused by rate: not stored, and the next attempt has to queue.
    const limited: Fate = { commits: 'never', answer: 'limited' }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: fate }, { weight: 1, arbitrary: fc.constant(limited) }), {
          maxLength: 4,
        }),
        fc.boolean(),
        async (fates, stamp) => {
          const { upload, stored, clock } = inDoubt(fates, { stamp })
          const outcome = await upload()
          await clock.advance(60_000)
          expect(stored().length).toBeLessThanOrEqual(1)
          if (!(outcome instanceof Error)) expect(stored()).toEqual([outcome.id])
          else expect(outcome).toBeInstanceOf(AmbiguousWriteError)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('a project whose answer was lost', () => {
  it('is found by its name, and not by that of an older one', async () => {
    const { svc, clock, server, posts } = inDoubt([{ commits: 'before', answer: 'reset' }])
    server.world.createProject({ name: 'Support' })
    await clock.advance(10_000)
    const project = await clock.until(svc.projects.create({ name: 'Support' }))
    expect(project.created_at).toBe(new Date(clock.now()).toISOString())
    expect([server.world.projects().length, posts()]).toEqual([3, 1])
  })
})

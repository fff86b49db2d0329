import { AmbiguousWriteError, type ClientEvent } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { conversation, createUploadSession, type PostBehavior, resetError } from './upload-session.js'

/** Collects the events of a type. */
function eventsOf<T extends ClientEvent['type']>(type: T) {
  const events: ClientEvent[] = []
  return { onEvent: (event: ClientEvent) => void (event.type === type && events.push(event)), events }
}

describe('an upload that was not stored', () => {
  it.each<[PostBehavior['answer'], number]>([
    [500, 15_000],
    [503, 15_000],
    ['broken', 75_000],
    ['reset', 75_000],
    [504, 75_000],
  ])(
    'sends an upload again 15 s after a complete 500 or 503, else after the time-out and 15 s: %s',
    async (answer, ms) => {
      const { onEvent, events } = eventsOf('wait')
      const { upload, stored, posts, elapsedMs } = createUploadSession([{ stores: 'never', answer }], { onEvent })
      const { id } = await upload()
      expect([stored(), posts(), elapsedMs()]).toEqual([[id], 2, ms])
      expect(events).toEqual([expect.objectContaining({ type: 'wait', ms, because: 'reconciling' })])
    },
  )

  it('counts the time-out of an upload without an answer from when it was sent', async () => {
    const { upload, elapsedMs } = createUploadSession([{ stores: 'never', answer: 'stall' }])
    await upload()
    expect(elapsedMs()).toBe(75_000)
  })

  it('emits no aborted event if the search ends without an abort', async () => {
    const { onEvent, events } = eventsOf('aborted')
    const { upload } = createUploadSession([{ stores: 'never', answer: 'reset' }], { onEvent, deadlineMs: 20_000 })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(events).toEqual([])
  })
})

describe('a first query that fails', () => {
  const html = () => new Response('<p>Sign in</p>', { headers: { 'content-type': 'text/html' } })
  const refusal =
    (status: number, headers = {}) =>
    () =>
      new Response('{}', { status, headers })

  it.each<[string, () => Response | Promise<Response>]>([
    ['503', refusal(503)],
    ['429', refusal(429)],
    ['429 with Retry-After', refusal(429, { 'retry-after': '50' })],
    ['200 with HTML', html],
    ['a connection reset', () => Promise.reject(resetError())],
  ])('finds a lost upload with the second query if the first one failed with %s', async (_, fail) => {
    const { upload, stored, posts, elapsedMs } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      answerQuery: (ms) => (ms < 30_000 ? fail() : undefined),
    })
    const { id } = await upload()
    expect([stored(), posts()]).toEqual([[id], 1])
    expect(elapsedMs()).toBeGreaterThanOrEqual(30_000)
  })

  it.each([401, 403, 404])('ends the search at once if a query is refused with %i', async (status) => {
    const { upload, posts, elapsedMs } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      answerQuery: refusal(status),
    })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect([posts(), elapsedMs()]).toEqual([1, 0])
  })

  it.each<[string, 'fails' | 'hangs']>([
    ['at the deadline of the call if a query hangs', 'hangs'],
    ['at once if a query fails and the deadline leaves no time for another', 'fails'],
  ])('ends the search %s', async (_, mode) => {
    const { upload, posts, elapsedMs } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      deadlineMs: 20_000,
      answerQuery: () => (mode === 'hangs' ? new Promise<Response>(() => {}) : html()),
    })
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect([posts(), elapsedMs()]).toEqual([1, mode === 'hangs' ? 20_000 : 0])
  })
})

describe('an identical upload of the same client without a stamp', () => {
  it('throws an AmbiguousWriteError with the record found if an identical upload is in flight until the last query', async () => {
    const behaviors: PostBehavior[] = [
      { stores: 'before', answer: 'reset' },
      { stores: 'never', answer: 'stall' },
    ]
    const { svc, id, clock, stored, posts } = createUploadSession(behaviors, { stamp: false })
    const first = svc.transcripts.upload(id, conversation).catch((error: unknown) => error)
    const second = svc.transcripts.upload(id, conversation, { timeoutMs: 200_000 }).catch((error: unknown) => error)
    const result = await clock.until(first)
    expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect([result, posts()]).toMatchObject([{ candidates: stored() }, 2])
    expect(stored()).toHaveLength(1)
    await clock.until(second)
  })
  it('finds the record of a lost upload although a different one is in flight', async () => {
    const behaviors: PostBehavior[] = [
      { stores: 'before', answer: 'reset' },
      { stores: 'never', answer: 'stall' },
    ]
    const { svc, id, clock, stored } = createUploadSession(behaviors, { stamp: false })
    const stop = new AbortController()
    const first = svc.transcripts.upload(id, conversation)
    const other = svc.transcripts.upload(id, { ...conversation, name: 'B' }, { signal: stop.signal })
    const { id: found } = await clock.until(first)
    expect(stored()).toEqual([found])
    stop.abort('enough')
    await expect(other).rejects.toBe('enough')
  })
})

describe('an abort during the search', () => {
  it('rejects the upload with the reason of the abort if nobody listens to events', async () => {
    const { svc, id, clock } = createUploadSession([{ stores: 'never', answer: 'reset' }])
    const stop = new AbortController()
    const upload = svc.transcripts.upload(id, conversation, { signal: stop.signal })
    const rejected = expect(upload).rejects.toBe('enough')
    await clock.advance(1_000)
    stop.abort('enough')
    await rejected
  })
})

describe('the response of a lost upload that was found', () => {
  it('answers a lost upload that was found with status 201, its headers, the record and the attempts', async () => {
    const { svc, id, clock, stored } = createUploadSession([{ stores: 'before', answer: 504 }])
    const { data, response, attempts } = await clock.until(svc.transcripts.upload(id, conversation).withResponse())
    expect([response.status, response.statusText]).toEqual([201, 'Created'])
    expect([...response.headers]).toEqual([['content-type', 'application/json']])
    expect([data.id]).toEqual(stored())
    expect(attempts).toEqual([expect.objectContaining({ status: 504, sent: 'yes' })])
  })
})

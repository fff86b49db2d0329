import { AmbiguousWriteError, type ClientOptions, type Fetch, type TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createSession } from '../session.js'
import { inDoubt, talk } from './in-doubt.js'

const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })

/** A service that loses the answer of the first POST and is away for some milliseconds from then on. */
function away(forMs: number, first: { stores: boolean; status?: number }, options: ClientOptions = {}) {
  const { server, client, clock } = createSession()
  const { id } = server.world.createProject({ name: 'P' }).record
  const startedAt = clock.now()
  let posts = 0
  const fetch: Fetch = async (request) => {
    if (request.method === 'POST' && posts++ === 0) {
      if (first.stores) await server.fetch(request)
      if (first.status) return new Response('{}', { status: first.status })
      throw new TypeError('fetch failed')
    }
    if (clock.now() < startedAt + forMs) throw refused()
    return server.fetch(request)
  }
  const svc = client({ fetch, ...options })
  const upload = () => clock.until(svc.transcripts.upload(id, talk).catch((error: unknown) => error))
  const stored = () => server.world.transcripts(id).map(({ record }) => record.id)
  return { upload, stored, posts: () => posts, elapsedMs: () => clock.now() - startedAt }
}

describe('an upload whose answer was lost by a service that is away for 3 s', () => {
  it('is found by the query that follows the one that failed', async () => {
    const { upload, stored, posts } = away(3_000, { stores: true })
    const { id } = (await upload()) as { id: string }
    expect([stored(), posts()]).toEqual([[id], 1])
  })

  it.each([
    ['after a reset', undefined],
    // Two queries 5 s apart would do, but the first of them failed.
    ['after a complete 503', 503],
  ])('is sent again, where it was not stored, once its time-out and 5 s have passed: %s', async (_, status) => {
    const { upload, stored, posts, elapsedMs } = away(3_000, { stores: false, ...(status && { status }) })
    const { id } = (await upload()) as { id: string }
    expect([stored(), posts()]).toEqual([[id], 2])
    expect(elapsedMs()).toBeGreaterThanOrEqual(65_000)
  })

  it.each([
    ['its deadline passes before', 3_000, { deadlineMs: 30_000 }],
    ['the service is still away', 200_000, {}],
  ])('stays ambiguous where %s', async (_, forMs, options) => {
    const { upload, posts } = away(forMs, { stores: false }, options)
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })
})

describe('an upload whose answer was lost', () => {
  it('ends at once as ambiguous where the rate limit stays closed for longer than the call waits', async () => {
    const { server, client, clock } = createSession()
    const { id } = server.world.createProject({ name: 'P' }).record
    const fetch: Fetch = async (request) => {
      if (request.method === 'POST') throw new TypeError('fetch failed')
      return Response.json(
        { error: { message: 'x', type: 'rate_limit_error', code: 429 } },
        { status: 429, headers: { 'retry-after': '3600' } },
      )
    }
    const startedAt = clock.now()
    const upload = client({ fetch }).transcripts.upload(id, talk)
    expect(await clock.until(upload.catch((error: unknown) => error))).toBeInstanceOf(AmbiguousWriteError)
    expect(clock.now() - startedAt).toBeLessThan(1_000)
  })

  it('is not waited for where the key may not read, because no later query would be answered', async () => {
    const { upload, clock } = inDoubt([{ commits: 'before', answer: 'reset' }], { permissions: ['projects-write'] })
    const startedAt = clock.now()
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(clock.now()).toBe(startedAt)
  })

  it.each([
    [1, 'sent once'],
    [3, 'sent 3 times'],
  ])('says after %i POSTs how often it was sent: %s', async (attempts, words) => {
    const fates = Array(3).fill({ commits: 'never', answer: 503 })
    const { upload, posts } = inDoubt(fates, { retry: { attempts } })
    const error = (await upload()) as unknown as Error
    expect(posts()).toBe(attempts)
    expect(error.message).toContain(`transcripts.upload: ${words}, and it may be stored: 503`)
  })
})

describe('an upload without a stamp that was aborted', () => {
  /** A service that answers no POST while it hangs; later it stores the next one and loses its answer. */
  function hanging() {
    const { server, client, clock } = createSession()
    const { id } = server.world.createProject({ name: 'P' }).record
    let hangs = true
    let posts = 0
    const fetch: Fetch = async (request) => {
      if (request.method !== 'POST') return server.fetch(request)
      posts++
      if (hangs) return new Promise(() => {})
      await server.fetch(request)
      throw new TypeError('fetch failed')
    }
    const svc = client({ fetch, stamp: false })
    const aborted = async (uploads: TranscriptUpload[], isSent: boolean) => {
      const before = posts
      const stop = new AbortController()
      if (!isSent) stop.abort('enough')
      const calls = uploads.map((upload) => svc.transcripts.upload(id, upload, { signal: stop.signal }))
      const all = Promise.allSettled(calls)
      while (isSent && posts < before + uploads.length) await new Promise((resolve) => setImmediate(resolve))
      stop.abort('enough')
      expect(await all).toEqual(uploads.map(() => ({ status: 'rejected', reason: 'enough' })))
    }
    const upload = () => {
      hangs = false
      return clock.until(svc.transcripts.upload(id, talk).catch((error: unknown) => error))
    }
    return {
      aborted,
      upload,
      posts: () => posts,
      stored: () => server.world.transcripts(id).map(({ record }) => record),
    }
  }

  it('leaves nothing behind where nothing was sent: an equal upload that is lost is found', async () => {
    const { aborted, upload, posts, stored } = hanging()
    await aborted([talk], false)
    expect(posts()).toBe(0)
    expect(await upload()).toMatchObject({ id: stored()[0]?.id })
  })

  it('keeps an equal upload ambiguous where it was sent, because either may have left the record', async () => {
    const { aborted, upload } = hanging()
    await aborted([talk], true)
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
  })

  it('is forgotten after 2 000 others, so that what is remembered is bounded', async () => {
    const { aborted, upload, stored } = hanging()
    await aborted([talk, ...Array.from({ length: 2_000 }, (_, i) => ({ ...talk, name: `talk ${i}` }))], true)
    expect(await upload()).toMatchObject({ id: stored()[0]?.id })
  })
})

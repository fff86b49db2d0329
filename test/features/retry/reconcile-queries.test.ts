import { AmbiguousWriteError, type ClientOptions, type TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createSession, type RequestHandler } from '../../helpers/session.js'
import { conversation, createUploadSession, type PostBehavior } from './upload-session.js'

const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })

/** A service that loses the answer of the first POST and is then unreachable for `forMs`. */
function unreachable(
  forMs: number,
  first: { stores: boolean; status?: number },
  options: Omit<ClientOptions, 'fetch'> = {},
) {
  const { server, client, clock } = createSession()
  const { id } = server.world.createProject({ name: 'P' }).record
  const startedAt = clock.now()
  let posts = 0
  const fetch: RequestHandler = async (request) => {
    if (request.method === 'POST' && posts++ === 0) {
      if (first.stores) await server.fetch(request)
      if (first.status) return new Response('{}', { status: first.status })
      throw new TypeError('fetch failed')
    }
    if (clock.now() < startedAt + forMs) throw refused()
    return server.fetch(request)
  }
  const svc = client({ fetch, ...options })
  const upload = () => clock.until(svc.transcripts.upload(id, conversation).catch((error: unknown) => error))
  const stored = () => server.world.transcripts(id).map(({ record }) => record.id)
  return { upload, stored, posts: () => posts, elapsedMs: () => clock.now() - startedAt }
}

describe('a lost upload to a service that is unreachable for 3 s', () => {
  it('finds a lost upload with a second query if the first one failed', async () => {
    const { upload, stored, posts } = unreachable(3_000, { stores: true })
    const { id } = (await upload()) as { id: string }
    expect([stored(), posts()]).toEqual([[id], 1])
  })

  it.each([
    ['after a reset', undefined],
    // Two queries 15 s apart would do, but the first of them failed.
    ['after a complete 503', 503],
  ])('sends an upload again after its time-out and 15 s if the first query failed: %s', async (_, status) => {
    const { upload, stored, posts, elapsedMs } = unreachable(3_000, { stores: false, ...(status && { status }) })
    const { id } = (await upload()) as { id: string }
    expect([stored(), posts()]).toEqual([[id], 2])
    expect(elapsedMs()).toBeGreaterThanOrEqual(75_000)
  })

  it.each([
    ['the deadline passes before the second query', 3_000, { deadlineMs: 30_000 }],
    ['the second query fails, too', 200_000, {}],
  ])('throws an AmbiguousWriteError if %s', async (_, forMs, options) => {
    const { upload, posts } = unreachable(forMs, { stores: false }, options)
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(posts()).toBe(1)
  })
})

describe('an upload whose answer was lost', () => {
  it('throws an AmbiguousWriteError at once if the rate limit is closed for longer than the call waits', async () => {
    const { server, client, clock } = createSession()
    const { id } = server.world.createProject({ name: 'P' }).record
    const fetch: RequestHandler = async (request) => {
      if (request.method === 'POST') throw new TypeError('fetch failed')
      return Response.json(
        { error: { message: 'x', type: 'rate_limit_error', code: 429 } },
        { status: 429, headers: { 'retry-after': '3600' } },
      )
    }
    const startedAt = clock.now()
    const upload = client({ fetch }).transcripts.upload(id, conversation)
    expect(await clock.until(upload.catch((error: unknown) => error))).toBeInstanceOf(AmbiguousWriteError)
    expect(clock.now() - startedAt).toBeLessThan(1_000)
  })

  it('throws an AmbiguousWriteError at once if the key cannot read, because later queries would fail, too', async () => {
    const { upload, clock } = createUploadSession([{ stores: 'before', answer: 'reset' }], {
      permissions: ['projects-write'],
    })
    const startedAt = clock.now()
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
    expect(clock.now()).toBe(startedAt)
  })

  it.each([
    [1, 'sent once'],
    [3, 'sent 3 times'],
  ])('reports in the message that the upload was sent, after %i POSTs: %s', async (attempts, words) => {
    const behaviors = Array(3).fill({ stores: 'never', answer: 503 })
    const { upload, posts } = createUploadSession(behaviors, { retry: { attempts } })
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
    const fetch: RequestHandler = async (request) => {
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
      return clock.until(svc.transcripts.upload(id, conversation).catch((error: unknown) => error))
    }
    return {
      aborted,
      upload,
      posts: () => posts,
      stored: () => server.world.transcripts(id).map(({ record }) => record),
    }
  }

  it('finds a lost upload although an identical one was aborted before it was sent', async () => {
    const { aborted, upload, posts, stored } = hanging()
    await aborted([conversation], false)
    expect(posts()).toBe(0)
    expect(await upload()).toMatchObject({ id: stored()[0]?.id })
  })

  it('throws an AmbiguousWriteError if an identical upload was aborted after it was sent', async () => {
    const { aborted, upload } = hanging()
    await aborted([conversation], true)
    expect(await upload()).toBeInstanceOf(AmbiguousWriteError)
  })

  it.each([
    [999, 'AmbiguousWriteError'],
    [1_000, undefined],
  ])('remembers the last 1 000 aborted uploads, so that memory is bounded: %i later ones', async (later, error) => {
    const { aborted, upload } = hanging()
    const others = Array.from({ length: later }, (_, i) => ({ ...conversation, name: `conversation ${i}` }))
    await aborted([conversation, ...others], true)
    expect(((await upload()) as Error & { id?: string }).name).toBe(error ?? conversation.name)
  })
})

describe('a query for a lost write', () => {
  it('sends the headers of the call with each query', async () => {
    const seed = { workspaces: ['w1', 'w2'], keys: [{ key: 'another', workspace: 'w2' }] }
    const { client, server, clock } = createSession({ seed })
    let posts = 0
    const fetch: RequestHandler = async (request) => {
      const response = await server.fetch(request)
      return request.method === 'POST' && posts++ === 0 ? new Response('{}', { status: 503 }) : response
    }
    const headers = { authorization: 'Bearer another' }
    const project = await clock.until(client({ fetch }).projects.create({ name: 'P' }, { headers }))
    const { data } = await client({ apiKey: 'another' }).projects.list()
    expect([posts, data.map(({ id }) => id)]).toEqual([1, [project.id]])
  })

  it('throws an AmbiguousWriteError if a record matches with different content, which the service may have changed', async () => {
    const { upload, id, server, posts } = createUploadSession([{ stores: 'never', answer: 'reset' }], { stamp: false })
    const error = upload()
    const world = server.world
    const trimmed = { ...conversation, turns: [{ role: 'user', content: 'HI' }] }
    const { record } = world.createTranscript(world.project(id) ?? expect.unreachable(), trimmed as never)
    expect(await error).toMatchObject({ name: 'AmbiguousWriteError', candidates: [record.id] })
    expect(posts()).toBe(1)
  })
})

describe('two equal writes of one client without a stamp', () => {
  it('throws an AmbiguousWriteError for two identical uploads of which only one was stored', async () => {
    const behaviors: PostBehavior[] = [
      { stores: 'before', answer: 'reset' },
      { stores: 'never', answer: 'reset' },
    ]
    const { svc, id, stored, clock } = createUploadSession(behaviors, { stamp: false })
    const upload = () => svc.transcripts.upload(id, conversation).catch((error: unknown) => error)
    const results = await clock.until(Promise.all([upload(), upload()]))
    for (const result of results) expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect(stored()).toHaveLength(1)
  })

  it('finds the record of each of two identical uploads if one is answered during the search for the other', async () => {
    const { svc, id, stored, clock } = createUploadSession([{ stores: 'never', answer: 'reset' }], { stamp: false })
    const upload = () => svc.transcripts.upload(id, conversation)
    const results = await clock.until(Promise.all([upload(), upload()]))
    expect(results.map((each) => each.id).sort()).toEqual(stored().sort())
    expect(new Set(stored()).size).toBe(2)
  })
})

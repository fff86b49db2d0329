import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../../../packages/client/src/create-client.js'
import { openapi } from '../../../packages/client/src/openapi/index.js'
import { failureOf, json, project, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'
import { handClock } from '../../helpers/hand-clock.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const list = { data: [], pagination: { page: 1, limit: 20, total: 0 }, processing_time_ms: 1 }
const annotation = { outcome: 'strong', signals: {}, status: 'ok', annotators: [] }

type Client = ReturnType<typeof createClient>
const calls: Record<string, (svc: Client) => Promise<unknown>> = {
  health: (svc) => svc.health(),
  'annotators.list': (svc) => svc.annotators.list(),
  'annotations.create': (svc) =>
    svc.annotations.create({ annotator: 'a', transcript: [{ role: 'user', content: 'hi' }] }),
  'projects.list': (svc) => svc.projects.list(),
  'projects.create': (svc) => svc.projects.create({ name: 'P' }),
  'transcripts.upload': (svc) => svc.transcripts.upload('hp-1', upload),
  'legacy.createSession': (svc) => svc.legacy.createSession({}),
  'batches.get': (svc) => svc.batches.get('b'),
  'request to a path without a method': (svc) => svc.request('annotation', 'GET', '/health'),
}

/** The parts of a failing answer: its status, `Retry-After` in the form that is sent, and the milliseconds that it asks for. */
const failures = fc.record({
  status: fc.constantFrom(429, 429, 500, 502, 503, 504),
  retryAfter: fc.oneof(
    fc.constantFrom(undefined, '0', '-5', 'soon').map((text) => ({ text, ms: 0 })),
    fc.constantFrom(0.001, 0.5, 1, 2, 30, 60, 90).map((seconds) => ({ text: String(seconds), ms: seconds * 1_000 })),
    fc.integer({ min: 1, max: 60 }).map((seconds) => ({ inSeconds: seconds, ms: seconds * 1_000 })),
  ),
  jumpMs: fc.constantFrom(0, 0, -3_600_000, 3_600_000, -5_000),
})

type Failure = typeof failures extends fc.Arbitrary<infer T> ? T : never

/** Runs a call against a service that fails as it is scripted and then succeeds, and notes when each request came. */
async function timesOf(call: string, script: Failure[], random: number) {
  const clock = handClock()
  clock.chance = random
  const seen: { at: number; asksFor: number; status: number }[] = []
  const startOfCall = clock.monotonic()
  const fetch = async (_: string, { method }: { method: string }) => {
    const failure = script[seen.length]
    const { status, retryAfter } = failure ?? { status: 200, retryAfter: undefined }
    seen.push({ at: clock.monotonic() - startOfCall, asksFor: retryAfter?.ms ?? 0, status })
    const headers: Record<string, string> = { date: new Date(clock.now()).toUTCString() }
    if (retryAfter && 'text' in retryAfter && retryAfter.text) headers['retry-after'] = retryAfter.text
    if (retryAfter && 'inSeconds' in retryAfter) {
      const wholeSecond = Math.floor(clock.now() / 1_000) * 1_000
      headers['retry-after'] = new Date(wholeSecond + retryAfter.inSeconds * 1_000).toUTCString()
    }
    clock.jumpWall(failure?.jumpMs ?? 0)
    if (failure) return json({ error: { message: 'x', type: 't', code: status } }, status, headers)
    return method === 'POST'
      ? json({ ...project, ...annotation }, 201, headers)
      : json({ ...list, ...annotation }, 200, headers)
  }
  const svc = createClient({
    apiKey: 'k',
    baseUrl: 'https://svc.test',
    publicBaseUrl: 'https://svc.test/b',
    environment: {},
    clock,
    fetch,
  })
  await clock.until((calls[call] as (svc: Client) => Promise<unknown>)(svc).catch((error: unknown) => error))
  return seen
}

it('no request of a call comes earlier than Retry-After or the back-off, whatever operation, answers and wall clock', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(calls)),
      fc.array(failures, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 0.25, 0.9),
      async (call, script, random) => {
        const seen = await timesOf(call, script, random)
        let failed = 0
        for (const [i, { at }] of seen.entries()) {
          const before = seen[i - 1]
          if (!before) continue
          expect(at - before.at).toBeGreaterThanOrEqual(before.asksFor)
          if (before.status === 200) continue
          failed++
          if (before.status === 429) expect(at - before.at).toBeGreaterThanOrEqual(100)
          if (failed === 1) expect(at - before.at).toBeGreaterThanOrEqual(random * 500)
        }
      },
    ),
    { numRuns: 300 },
  )
})

it('a 429 of /health that lasts is asked about a few times, and not thousands of times', async () => {
  const { svc, clock, requests } = scripted(Array.from({ length: 1_000 }, () => json({}, 429, { 'retry-after': '2' })))
  const failed = clock.until(failureOf(svc.health({ deadlineMs: 20_000 })))
  expect(await failed).toMatchObject({ kind: 'rate_limited', retryAfterMs: 2_000 })
  expect(requests.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map((seconds) => seconds * 1_000))
})

it('a long series of 429 with a tiny Retry-After is met with the back-off of a call that knows none', async () => {
  const count = async (retryAfter: string | undefined) => {
    const refusal = () => json({}, 429, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    const { svc, clock, requests } = scripted(Array.from({ length: 5_000 }, refusal))
    clock.chance = 0.5
    await clock.until(failureOf(svc.projects.list({}, { deadlineMs: 60_000 })))
    return requests.length
  }
  expect(await count('0.001')).toBe(await count(undefined))
})

describe('a wall clock that jumps or stands still', () => {
  const answering = (clock = handClock()) => {
    let requests = 0
    const fetch = async () => {
      requests++
      return json({ ...list, annotators: [] })
    }
    const urls = { baseUrl: 'https://svc.test', publicBaseUrl: 'https://svc.test/b' }
    return {
      clock,
      requests: () => requests,
      svc: createClient({ apiKey: 'k', ...urls, environment: {}, clock, fetch }),
    }
  }

  it('never makes a call wait, and never refuses one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -1e10, max: 1e10 }), { maxLength: 8 }), async (jumps) => {
        const { svc, clock, requests } = answering()
        const startedAt = clock.monotonic()
        for (const ms of jumps) {
          await svc.projects.list()
          clock.jumpWall(ms)
          await svc.annotators.list()
        }
        expect([clock.monotonic() - startedAt, requests()]).toEqual([0, 2 * jumps.length])
      }),
    )
  })

  it('shortens no wait after a 429', async () => {
    const { svc, clock, requests } = scripted([json({}, 429, { 'retry-after': '10' }), json(list)])
    const call = svc.projects.list()
    await clock.advance(1_000)
    clock.jumpWall(3_600_000)
    await clock.advance(8_000)
    expect(requests.length).toBe(1)
    await clock.until(call)
    expect(requests.map(({ at }) => at)).toEqual([0, 10_000])
  })

  it('does not hide the record of a lost upload, so that it is stored once', async () => {
    const clock = handClock()
    const stored: Record<string, unknown>[] = []
    const fetch = async (url: string, { method, body }: { method: string; body: unknown }) => {
      const date = new Date(clock.monotonic() + Date.parse('2030-01-01T00:00:00Z'))
      const headers = { date: date.toUTCString() }
      if (method === 'GET')
        return json({ data: stored, pagination: { page: 1, limit: 100, total: stored.length } }, 200, headers)
      const { name, turns, metadata } = JSON.parse(String(body))
      const more = { turn_count: turns.length, external_id: 'e1', source_timestamp: null }
      stored.push({ id: 'tr_1', name, metadata, created_at: date.toISOString(), url, ...more })
      clock.jumpWall(-86_400_000)
      throw new TypeError('fetch failed')
    }
    const urls = { baseUrl: 'https://svc.test', publicBaseUrl: 'https://svc.test/b' }
    const svc = createClient({ apiKey: 'k', ...urls, environment: {}, clock, fetch })
    expect(await clock.until(svc.transcripts.upload('hp-1', upload))).toMatchObject({ id: 'tr_1' })
    expect(stored.length).toBe(1)
  })

  it('may be that of a test that fixes the date, with and without fake timers', async () => {
    const svc = createClient({ apiKey: 'k', publicBaseUrl: 'https://svc.test', fetch: async () => json(list) })
    const total = async () => (await svc.projects.list()).total
    expect(await total()).toBe(0)
    vi.setSystemTime(new Date('2024-02-29T12:00:00Z'))
    expect(await total()).toBe(0)
    vi.useFakeTimers({ now: new Date('2020-01-01T00:00:00Z') })
    expect(await total()).toBe(0)
    vi.useRealTimers()
    expect(await total()).toBe(0)
  })

  it.each([
    ['all that vitest fakes', {}],
    ['only the timers and Date', { toFake: ['setTimeout', 'clearTimeout', 'Date'] }],
  ] as const)('waits by fake timers: %s', async (_, faked) => {
    vi.useFakeTimers({ ...faked, toFake: 'toFake' in faked ? [...faked.toFake] : undefined })
    const answers = [json({}, 429, { 'retry-after': '2' }), json(list)]
    const svc = createClient({
      apiKey: 'k',
      publicBaseUrl: 'https://svc.test',
      fetch: async () => answers.shift() ?? expect.unreachable('a third request'),
    })
    const call = svc.projects.list()
    await vi.advanceTimersByTimeAsync(6_000)
    expect((await call).total).toBe(0)
  })
})

describe('a fetch of any library', () => {
  it('is called with a text and plain values, and without `this`', async () => {
    const seen: unknown[] = []
    async function fetch(this: unknown, url: string, init: object) {
      seen.push([this, url, Object.keys(init).sort()])
      return json(project, 201)
    }
    const { svc } = scripted([], { fetch })
    await svc.projects.create({ name: 'P' })
    await openapi(svc).workspace.POST('/projects', { body: { name: 'P' } })
    const url = 'https://svc.test/public/api/v1/projects'
    const names = ['body', 'headers', 'method', 'redirect', 'signal']
    expect(seen).toEqual([
      [undefined, url, ['body', 'cache', ...names.slice(1)]],
      [undefined, url, names],
    ])
  })

  it('ends the call at once with what it throws before it returns a promise', async () => {
    const thrown = new TypeError('url is not a URL object')
    const fetch = () => {
      throw thrown
    }
    const { svc, clock } = scripted([], { fetch, reconcile: true })
    expect(await failureOf(svc.transcripts.upload('hp-1', upload))).toBe(thrown)
    expect(clock.pending).toEqual([])
  })

  it('may abort the call while it is called', async () => {
    const stop = new AbortController()
    const fetch = () => {
      stop.abort(new Error('enough'))
      return new Promise<never>(() => {})
    }
    await expect(scripted([], { fetch }).svc.health({ signal: stop.signal })).rejects.toThrow('enough')
  })

  it('may give a body that is no stream of the web', async () => {
    async function* chunks() {
      yield new TextEncoder().encode('{"data":[],"pagination":')
      yield new TextEncoder().encode('{"page":1,"limit":20,"total":7}}')
    }
    const fetch = async () => ({ status: 200, statusText: 'OK', headers: [] as [string, string][], body: chunks() })
    expect((await scripted([], { fetch }).svc.projects.list()).total).toBe(7)
  })

  it('keeps a search for a lost write, and every write, out of caches', async () => {
    const caches: [string, string | undefined][] = []
    const fetch = async (_: string, { method, cache }: { method: string; cache?: string }) => {
      caches.push([method, cache])
      return method === 'GET' ? json(list) : json({}, 503)
    }
    const { svc, clock } = scripted([], { fetch, reconcile: true, retry: { attempts: 1 } })
    await svc.projects.list()
    await svc.with({ cache: 'no-store' }).projects.list()
    await clock.until(failureOf(svc.transcripts.upload('hp-1', upload)))
    const [first, second, ...rest] = caches
    expect([first, second]).toEqual([
      ['GET', undefined],
      ['GET', 'no-store'],
    ])
    expect(rest.map(([method]) => method)).toEqual(expect.arrayContaining(['POST', 'GET']))
    expect(new Set(rest.map(([, cache]) => cache))).toEqual(new Set(['no-store']))
  })

  it('is not asked for a cache where the runtime has none', async () => {
    vi.stubGlobal('Request', class {})
    const sent: object[] = []
    const fetch = async (_: string, init: object) => {
      sent.push(init)
      return json(project, 201)
    }
    await createClient({ apiKey: 'k', publicBaseUrl: 'https://svc.test', fetch }).projects.create({ name: 'P' })
    expect(sent.map((init) => 'cache' in init)).toEqual([false])
  })
})

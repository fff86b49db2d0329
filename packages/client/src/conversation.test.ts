import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { handClock } from '../../../test/hand-clock.js'
import { createClient } from './client.js'
import { AmbiguousWriteError, ConnectionError, InputError, ServiceError } from './errors.js'
import type { ClientEvent } from './events.js'
import type { ClientOptions } from './options.js'

const project = { data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 }
const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const networkError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
const upload = { name: 'A talk', turns: [{ role: 'user' as const, content: 'my words' }], externalId: 'e1' }

type Scripted = Response | Error | 'never' | ((request: Request) => Promise<Response>)

/** A client whose fetch answers from a script, one entry a request; nothing is mocked, the client is handed a Fetch. */
function scripted(script: Scripted[], options: ClientOptions = {}) {
  const clock = handClock()
  const requests: { method: string; url: string; redirect: string; headers: Headers; body: string; at: number }[] = []
  const events: ClientEvent[] = []
  const startedAt = clock.now()
  const svc = createClient({
    apiKey: 'sk-service-api03-secret',
    baseUrl: 'https://svc.test',
    publicBaseUrl: 'https://svc.test/public/api/v1',
    clock,
    onEvent: (event) => events.push(event),
    fetch: async (request) => {
      const { method, url, redirect, headers } = request
      requests.push({ method, url, redirect, headers, body: await request.clone().text(), at: clock.now() - startedAt })
      const next = script[requests.length - 1] ?? 'never'
      if (typeof next === 'function') return next(request)
      if (next === 'never') return new Promise(() => {})
      if (next instanceof Error) throw next
      return next
    },
    ...options,
  })
  return { svc, clock, requests, events }
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  )

describe('a request', () => {
  it('carries the key as a bearer token and nothing about redirects to follow', async () => {
    const { svc, requests } = scripted([json(project)])
    await svc.projects.get('hp-1')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-service-api03-secret')
    expect(requests[0]?.headers.get('user-agent')).toMatch(/^svc-client\/\d/)
    expect(requests[0]?.redirect).toBe('manual')
    expect(requests[0]?.url).toBe('https://svc.test/public/api/v1/projects/hp-1')
  })

  it('sends no key for /health, and one for the annotator listing only where there is one', async () => {
    const health = json({ status: 'ok', substrate: 'lambda' })
    const withKey = scripted([health.clone(), json({ annotators: [] })])
    await withKey.svc.health()
    await withKey.svc.annotators.list()
    expect(withKey.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false, true])
    const without = scripted([health.clone(), json({ annotators: [] })], { apiKey: '' })
    await without.svc.health()
    await without.svc.annotators.list()
    expect(without.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false, false])
  })

  it("carries the caller's headers, and an authorization of the caller's own in place of the key", async () => {
    const { svc, requests } = scripted([json(project), json(project)])
    await svc.projects.get('hp-1', { headers: { 'x-trace': 't-1' } })
    await svc.with({ headers: { Authorization: 'Bearer mine' } }).projects.get('hp-1')
    expect(requests[0]?.headers.get('x-trace')).toBe('t-1')
    expect(requests[1]?.headers.get('authorization')).toBe('Bearer mine')
  })

  it('asks a key function for each attempt', async () => {
    let issued = 0
    const { svc, clock, requests } = scripted([json({}, 503), json(project)], { apiKey: async () => `key-${++issued}` })
    const call = svc.projects.get('hp-1')
    await clock.advance(8_000)
    await call
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer key-1', 'Bearer key-2'])
  })

  it('is percent-encoded in its ids, and refused where an id would climb', async () => {
    const { svc, requests } = scripted([json(project)])
    await svc.projects.get('a/../b?c#d%')
    expect(requests[0]?.url).toBe('https://svc.test/public/api/v1/projects/a%2F..%2Fb%3Fc%23d%25')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      expect(await failureOf(svc.projects.get(id))).toMatchObject({ name: 'InputError', reason: 'invalid_id' })
      expect(await failureOf(svc.batches.get(id))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.get(id))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.upload(id, upload))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.list(id))).toBeInstanceOf(InputError)
    }
    expect(requests).toHaveLength(1)
  })

  it('sends dates as ISO 8601, in queries and in uploads', async () => {
    const { svc, requests } = scripted([json({ data: [], processing_time_ms: 1 }), json(project, 201)])
    const date = new Date('2026-01-02T03:04:05.678Z')
    await svc.transcripts.list('hp-1', { date_from: date, q: 'a b' })
    await svc.transcripts.upload('hp-1', { ...upload, sourceTimestamp: date })
    expect(new URL(requests[0]?.url ?? '').searchParams.get('date_from')).toBe('2026-01-02T03:04:05.678Z')
    expect(JSON.parse(requests[1]?.body ?? '')).toMatchObject({ sourceTimestamp: '2026-01-02T03:04:05.678Z' })
    expect(await failureOf(svc.transcripts.list('hp-1', { date_to: new Date('x') }))).toBeInstanceOf(InputError)
  })

  it('is not sent without the base URL or the key that it needs', async () => {
    const { svc, requests } = scripted([], { apiKey: '' })
    expect(await failureOf(svc.projects.list())).toMatchObject({ reason: 'missing_key' })
    expect(await failureOf(svc.annotations.create({ annotator: 'a', transcript: [] }))).toMatchObject({
      reason: 'missing_key',
    })
    const noBase = createClient({ apiKey: 'k', fetch: async () => expect.unreachable() })
    expect(await failureOf(noBase.health())).toMatchObject({ reason: 'missing_base_url' })
    expect(requests).toHaveLength(0)
  })
})

describe('an answer', () => {
  it('is a service error of one shape, whichever envelope it came in', async () => {
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

  it('that is not the declared JSON is never a success on a read', async () => {
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

  it('that cannot be read leaves a write unsettled', async () => {
    const { svc, requests } = scripted([new Response('<html>', { status: 201 })])
    const error = await failureOf(svc.transcripts.upload('hp-1', upload))
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(error.fingerprint).toEqual({ name: 'A talk', turn_count: 1, external_id: 'e1', source_timestamp: null })
    expect(requests).toHaveLength(1)
  })

  it('that redirects is refused, on every verb, with an error that says so', async () => {
    for (const status of [301, 302, 307, 308]) {
      const { svc, requests } = scripted([new Response(null, { status, headers: { location: 'https://evil.test' } })])
      const error = await failureOf(svc.transcripts.upload('hp-1', upload))
      expect(error).toMatchObject({ name: 'ServiceError', kind: 'unexpected', status })
      expect(error.message).toContain('redirects are not followed')
      expect(requests).toHaveLength(1)
    }
  })

  it('of 501 is final after one request', async () => {
    const { svc, requests } = scripted([json({ error: 'not_implemented', detail: 'v1' }, 501)])
    expect(await failureOf(svc.batches.create({}))).toMatchObject({ kind: 'not_implemented', status: 501 })
    expect(requests).toHaveLength(1)
  })

  it('explains a refused key of the JWT style', async () => {
    const { svc } = scripted([json({}, 401)], { apiKey: 'eyJhbGciOi' })
    expect((await failureOf(svc.projects.list())).message).toContain('JWT-style')
  })

  it('comes with its response, request id and attempts on request', async () => {
    const { svc } = scripted([json(project, 200, { 'x-request-id': 'r-1' })])
    const { data, response, requestId, attempts } = await svc.projects.get('hp-1').withResponse()
    expect(data.id).toBe('hp-1')
    expect(await response.json()).toEqual(project)
    expect(requestId).toBe('r-1')
    expect(attempts).toEqual([{ status: 200, ms: 0, sent: 'yes' }])
  })

  it('that fails is handled by the one who asked for the response', async () => {
    const { svc } = scripted([json({}, 404)])
    await expect(svc.projects.get('hp-1').withResponse()).rejects.toBeInstanceOf(ServiceError)
  })
})

describe('a repeated call', () => {
  it('waits as long as Retry-After says, never less, and says so', async () => {
    const { svc, clock, requests, events } = scripted([json({}, 429, { 'retry-after': '3' }), json(project)])
    clock.chance = 0.5
    const call = svc.projects.get('hp-1')
    await clock.advance(10_000)
    await call
    expect(requests.map(({ at }) => at)).toEqual([0, 3_300])
    expect(events.find(({ type }) => type === 'wait')).toMatchObject({ because: 'rate_limited', ms: 3_300 })
  })

  it("measures a Retry-After date on the server's clock", async () => {
    const dates = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:02 GMT' }
    const { svc, clock, requests } = scripted([json({}, 503, dates), json(project)])
    const call = svc.projects.get('hp-1')
    await clock.advance(5_000)
    await call
    expect(requests.map(({ at }) => at)).toEqual([0, 2_000])
  })

  it('rejects at once, with the time to come back, when the wait is too long', async () => {
    const { svc, clock, requests } = scripted([json({}, 429, { 'retry-after': '120' })])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 120_000 })
    expect(error.retryAt.getTime() - clock.now()).toBe(120_000)
    expect(requests).toHaveLength(1)
  })

  it('rejects at once when the wait does not fit the deadline', async () => {
    const { svc, requests, clock } = scripted([json({}, 429, { 'retry-after': '5' })])
    const error = await failureOf(svc.projects.get('hp-1', { deadlineMs: 4_000 }))
    expect(error).toMatchObject({ kind: 'rate_limited' })
    expect(requests).toHaveLength(1)
    expect(clock.pending).toEqual([])
  })

  it('sends the same bytes again', async () => {
    const { svc, clock, requests } = scripted([networkError('ECONNREFUSED'), json(project, 201)])
    const call = svc.transcripts.upload('hp-1', upload)
    await clock.advance(1_000)
    await call
    expect(requests[0]?.body).toBe(JSON.stringify(upload))
    expect(requests[1]?.body).toBe(requests[0]?.body)
  })

  it('is never a write that may have been stored', async () => {
    const fates: Scripted[] = [json({}, 500), json({}, 502), json({}, 503), json({}, 504), networkError('ECONNRESET')]
    for (const fate of fates) {
      const { svc, requests } = scripted([fate])
      expect(await failureOf(svc.transcripts.upload('hp-1', upload))).toBeInstanceOf(AmbiguousWriteError)
      expect(requests).toHaveLength(1)
    }
    for (const verb of ['createSession', 'createTranscript'] as const) {
      const { svc, requests } = scripted([networkError('EPIPE')])
      expect(await failureOf(svc.legacy[verb]({}))).toBeInstanceOf(AmbiguousWriteError)
      expect(requests).toHaveLength(1)
    }
  })

  it('gives up on what cannot be reached, and says that nothing was sent', async () => {
    const { svc, clock, requests } = scripted([1, 2, 3].map(() => networkError('ECONNREFUSED')))
    const failed = failureOf(svc.transcripts.upload('hp-1', upload))
    await clock.advance(60_000)
    const error = await failed
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      phase: 'connecting',
      timedOut: false,
      attempts: [{ sent: 'no' }, { sent: 'no' }, { sent: 'no' }],
    })
    expect(requests).toHaveLength(3)
  })

  it('never follows an untrusted certificate', async () => {
    const { svc, requests } = scripted([networkError('CERT_HAS_EXPIRED')])
    expect(await failureOf(svc.projects.list())).toMatchObject({ phase: 'connecting' })
    expect(requests).toHaveLength(1)
  })
})

describe('time', () => {
  const stalled = () => new Response(new ReadableStream({ start() {} }), { status: 200 })

  it('runs out for an attempt without an answer', async () => {
    const { svc, clock, requests } = scripted(['never'])
    const failed = failureOf(svc.projects.list({}, { timeoutMs: 300, retry: false }))
    await clock.advance(300)
    expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true, phase: 'waiting' })
    expect(requests).toHaveLength(1)
  })

  it('runs out for a body that stalls, of a success and of an error', async () => {
    for (const status of [200, 400]) {
      const { svc, clock } = scripted([new Response(stalled().body, { status })])
      const failed = failureOf(svc.projects.list({}, { timeoutMs: 300, retry: false }))
      await clock.advance(300)
      expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true, phase: 'reading' })
    }
  })

  it('that runs out on a write leaves it unsettled', async () => {
    const { svc, clock, requests } = scripted(['never'])
    const failed = failureOf(svc.projects.create({ name: 'P' }))
    await clock.advance(60_000)
    expect(await failed).toMatchObject({ name: 'AmbiguousWriteError', fingerprint: { name: 'P' } })
    expect(requests).toHaveLength(1)
  })

  it('is longer for an annotation, and is what the caller says', async () => {
    const { svc, clock } = scripted(['never', 'never'])
    const slow = svc.annotations.create({ annotator: 'a', transcript: [] }).catch(() => {})
    await clock.advance(0)
    expect(clock.pending).toEqual([240_000])
    const quick = svc
      .with({ timeoutMs: 5 })
      .annotations.create({ annotator: 'a', transcript: [] })
      .catch(() => {})
    await clock.advance(0)
    expect(clock.pending).toEqual([5, 240_000])
    await clock.advance(240_000)
    await Promise.all([slow, quick])
  })

  it('runs out for the whole call, repetitions included', async () => {
    const { svc, clock } = scripted([json({}, 503), 'never'])
    const failed = failureOf(svc.projects.list({}, { deadlineMs: 1_000 }))
    await clock.advance(1_000)
    expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true })
    expect(clock.pending).toEqual([])
  })
})

describe('an abort', () => {
  const reason = new Error('the user pressed stop')
  const never = () => new Promise<Response>(() => {})

  it.each([
    ['before sending', [], 0],
    ['while waiting', [never], 1],
    ['while reading', [async () => new Response(new ReadableStream())], 1],
    ['while backing off', [json({}, 503)], 1],
  ] as [string, Scripted[], number][])('%s ends the call at once with its own reason', async (phase, script, sent) => {
    const { svc, clock, requests, events } = scripted(script)
    clock.chance = 0.9
    const stop = new AbortController()
    if (phase === 'before sending') stop.abort(reason)
    const failed = failureOf(svc.projects.list({}, { signal: stop.signal }))
    await clock.advance(0)
    stop.abort(reason)
    expect(await failed).toBe(reason)
    expect(requests).toHaveLength(sent)
    expect(clock.pending).toEqual([])
    expect(events.at(-1)?.type).toBe('aborted')
  })

  it('is not mistaken for a time-out, whatever the operation would do about one', async () => {
    const { svc, clock } = scripted(['never', 'never', 'never'])
    for (const call of [
      (signal: AbortSignal) => svc.annotations.create({ annotator: 'a', transcript: [] }, { signal }),
      (signal: AbortSignal) => svc.transcripts.upload('hp-1', upload, { signal }),
      (signal: AbortSignal) => svc.projects.list({}, { signal, retry: false }),
    ]) {
      const stop = new AbortController()
      const failed = failureOf(call(stop.signal))
      await clock.advance(0)
      stop.abort(reason)
      expect(await failed).toBe(reason)
    }
  })

  it('leaves no listener on a long-lived signal', async () => {
    const stop = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(stop.signal, args)
    }
    const { svc } = scripted(Array.from({ length: 40 }, () => json(project)))
    for (let i = 0; i < 40; i++) await svc.projects.get('hp-1', { signal: stop.signal })
    expect(listeners).toBe(0)
  })
})

describe('secrets', () => {
  it('are not shown by inspect, JSON, errors or events', async () => {
    const bad = json({ error: { message: 'no', type: 'invalid_request_error', code: 400 }, input: 'my words' }, 400)
    const { svc, events } = scripted([bad, json({ data: [], processing_time_ms: 1 })])
    const error = await failureOf(svc.transcripts.upload('hp-1', upload))
    await svc.transcripts.list('hp-1', { q: 'my words' })
    const shown = [svc, error, events].map((value) => `${inspect(value, { depth: 9 })} ${JSON.stringify(value)}`).join()
    expect(shown).not.toContain('secret')
    expect(shown).not.toContain('my words')
    expect(shown).not.toContain('my%20words')
    expect(error.body).toMatchObject({ input: 'my words' })
  })
})

describe('the escape hatch', () => {
  it('sends the key and refuses redirects, and returns errors as they are', async () => {
    const redirect = new Response(null, { status: 302 })
    const { svc, requests } = scripted([json(project), json({ error: { type: 'not_found_error' } }, 404), redirect])
    const { data } = await svc.wires.workspace.GET('/projects/{projectId}', { params: { path: { projectId: 'hp-1' } } })
    expect(data?.data.name).toBe('P')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-service-api03-secret')
    expect((await svc.wires.workspace.GET('/projects')).error).toMatchObject({ error: { type: 'not_found_error' } })
    expect(await failureOf(svc.wires.workspace.GET('/projects'))).toMatchObject({ kind: 'unexpected', status: 302 })
  })
})

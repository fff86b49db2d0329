import { runInNewContext } from 'node:vm'
import { AmbiguousWriteError, type ClientOptions, createClient, InputError } from '@svc/client'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

const page = { data: [{ id: 'hp-1' }], pagination: { page: 1, limit: 20, total: 1 }, processing_time_ms: 1 }
const record = { data: { id: 'tr_1' }, processing_time_ms: 1 }
const upload = { name: 'A conversation', turns: [{ role: 'user' as const, content: 'hello' }] }
const urls = { baseUrl: 'https://svc.test', publicBaseUrl: 'https://svc.test' }
const clientOf = (fetch: unknown, options: ClientOptions = {}) =>
  createClient({
    apiKey: 'k',
    ...urls,
    environment: {},
    fetch: fetch as NonNullable<ClientOptions['fetch']>,
    ...options,
  })
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

/** An event target and a controller without `reason`, `throwIfAborted` and the arguments of `abort`. */
class OldController {
  signal = Object.assign(new EventTarget(), { aborted: false })
  abort() {
    this.signal.aborted = true
    this.signal.dispatchEvent(new Event('abort'))
  }
}

/** The response of React Native's fetch: no body stream, and no way to the bytes. */
const nativeResponse = (text: string, status = 200, headers: [string, string][] = []) => ({
  ok: status < 300,
  status,
  statusText: '',
  headers: new Headers(headers),
  bodyUsed: false,
  text: async () => text,
  json: async () => JSON.parse(text),
  arrayBuffer: async () => {
    throw new Error('FileReader.readAsArrayBuffer is not implemented')
  },
})

/** Takes away the globals that React Native lacks. */
function asReactNative() {
  // Node loads its fetch at the first use, and needs them for that.
  new Response(new Headers().get('x'))
  for (const name of ['DOMException', 'TextDecoder', 'structuredClone']) vi.stubGlobal(name, undefined)
  vi.stubGlobal('AbortController', OldController)
}

describe('React Native', () => {
  it('React Native’s fetch serves reads, writes and errors, though its responses have no stream', async () => {
    asReactNative()
    const svc = clientOf(async (_: string, { method }: RequestInit) =>
      method === 'GET' ? nativeResponse(JSON.stringify(page)) : nativeResponse(JSON.stringify(record), 201),
    )
    expect((await svc.projects.list()).data).toEqual(page.data)
    expect((await svc.transcripts.upload('hp-1', upload)).id).toBe('tr_1')
    const { response } = await svc.projects.list().withResponse()
    expect(await response.json()).toEqual(page)
    const refused = clientOf(async () => nativeResponse('{"error":{"message":"No.","type":"x"}}', 403))
    expect(await failureOf(refused.projects.list())).toMatchObject({ status: 403, detail: 'No.' })
  })

  it('a time-out in React Native is a ConnectionError, and an abort rejects with an AbortError', async () => {
    asReactNative()
    const svc = clientOf(() => new Promise(() => {}), { timeoutMs: 1, retry: false })
    expect(await failureOf(svc.projects.list())).toMatchObject({ name: 'ConnectionError', timedOut: true })
    const stop = new OldController()
    const call = failureOf(svc.projects.list({}, { signal: stop.signal as unknown as AbortSignal, timeoutMs: 60_000 }))
    stop.abort()
    expect(await call).toMatchObject({ name: 'AbortError' })
    const late = failureOf(svc.projects.list({}, { signal: stop.signal as unknown as AbortSignal }))
    expect(await late).toMatchObject({ name: 'AbortError' })
  })

  it('a body without a stream is refused above maxResponseBytes', async () => {
    const svc = clientOf(async () => nativeResponse(JSON.stringify({ ...page, more: 'é'.repeat(100) })), {
      maxResponseBytes: 250,
    })
    expect(await failureOf(svc.projects.list())).toMatchObject({ kind: 'unexpected', status: 200 })
  })
})

describe('a response of a mock', () => {
  it.each([
    ['status and json()', { ok: true, status: 200, json: async () => page }],
    [
      'headers as an object',
      { status: 200, headers: { 'X-Request-Id': 'r1' }, text: async () => JSON.stringify(page) },
    ],
    ['headers as null', { status: 200, headers: null, json: async () => page }],
  ])('is accepted with %s', async (_, response) => {
    expect((await clientOf(async () => response).projects.list()).total).toBe(1)
  })

  it('has its Retry-After read in any case of letters', async () => {
    const limited = { status: 429, headers: [['Retry-After', '90']], body: null }
    const error = await failureOf(clientOf(async () => limited).projects.list())
    expect(error).toMatchObject({ status: 429, retryAfterMs: 90_000 })
  })

  it.each([
    ['undefined', async () => undefined],
    ['undefined, without a promise', () => undefined],
    ['null', async () => null],
    ['a text', async () => 'hello'],
  ])('that is %s is an InputError of a read, which names fetch', async (_, fetch) => {
    const error = await failureOf(clientOf(fetch).projects.list())
    expect(error).toBeInstanceOf(InputError)
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^fetch: expected a function that resolves to a new Response/),
    )
  })

  it('that was read already is an InputError of a read, which says so', async () => {
    const response = Response.json(page)
    const svc = clientOf(async () => response)
    await svc.projects.list()
    expect(await failureOf(svc.projects.list())).toHaveProperty(
      'message',
      expect.stringContaining('resolves to a new Response'),
    )
  })

  it('that is no response leaves the result of a write unknown', async () => {
    const svc = clientOf(async () => undefined, { reconcile: false })
    expect(await failureOf(svc.transcripts.upload('hp-1', upload))).toBeInstanceOf(AmbiguousWriteError)
  })
})

describe('values of another realm', () => {
  it('a Date of another realm is sent as ISO 8601, in a filter and in an upload', async () => {
    const seen: string[] = []
    const svc = clientOf(async (url: string, { body, method }: RequestInit) => {
      seen.push(url + (body ?? ''))
      return method === 'GET' ? Response.json(page) : Response.json(record, { status: 201 })
    })
    const date: Date = runInNewContext('new Date(0)')
    await svc.transcripts.list('hp-1', { date_from: date })
    await svc.transcripts.upload('hp-1', { ...upload, sourceTimestamp: date })
    expect(seen[0]).toContain('date_from=1970-01-01T00%3A00%3A00.000Z')
    expect(seen[1]).toContain('"sourceTimestamp":"1970-01-01T00:00:00.000Z"')
  })

  it('an upload of another realm is sent whole', async () => {
    const bodies: unknown[] = []
    const svc = clientOf(async (_: string, { body }: RequestInit) => {
      bodies.push(JSON.parse(String(body)))
      return Response.json(record, { status: 201 })
    })
    await svc.transcripts.upload('hp-1', runInNewContext(`(${JSON.stringify(upload)})`))
    expect(bodies).toMatchObject([upload])
  })
})

describe('a runtime without fetch', () => {
  it('a runtime without fetch is an InputError, which names the options', async () => {
    vi.stubGlobal('fetch', undefined)
    const svc = createClient({ apiKey: 'k', ...urls, environment: {} })
    for (const call of [svc.projects.list(), svc.transcripts.upload('hp-1', upload)]) {
      expect(await failureOf(call)).toMatchObject({
        name: 'InputError',
        message: expect.stringContaining('pass fetch'),
      })
    }
  })
})

describe('a port that fetch blocks', () => {
  it('a port that the Fetch standard blocks is an InputError before fetch is called, and no other port is', async () => {
    for (const port of [1, 22, 25, 6000, 6697, 10080]) {
      let calls = 0
      const fetch = async () => {
        calls++
        return Response.json(page)
      }
      const svc = clientOf(fetch, { publicBaseUrl: `https://svc.test:${port}` })
      expect(await failureOf(svc.projects.list())).toMatchObject({
        ...{ name: 'InputError', reason: 'invalid_base_url', attempts: [] },
        message: expect.stringContaining(`fetch blocks port ${port}`),
      })
      expect(calls).toBe(0)
      await clientOf(fetch, { publicBaseUrl: `https://svc.test:${port + 2}` }).projects.list()
      expect(calls).toBe(1)
    }
  })
})

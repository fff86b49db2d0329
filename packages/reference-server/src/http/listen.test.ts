import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { closeKept, dial, keep, request } from '../../test/fixtures/edge.js'
import { createServer, Refusal, referenceKey, type ServerOptions, steeredClock } from '../core.js'

afterEach(closeKept)

async function setUp(options: ServerOptions = {}) {
  const server = createServer(options)
  return { server, ...keep(await server.listen()) }
}

const authorization = `Bearer ${referenceKey}`
const auth = `Authorization: ${authorization}\r\n`

/** Sends bytes as they are, and gives back what comes until `until` has come or the server closes. */
async function raw(port: number, bytes: string, until?: RegExp) {
  const wire = dial(port, bytes)
  const text = until ? await wire.until(until) : (await wire.ended).text
  return { text, closed: wire.socket.closed, socket: wire.socket }
}

const close = 'Connection: close\r\n'

test('listens on loopback under real base URLs, over the same world as fetch', async () => {
  const { baseUrl, publicBaseUrl, port, server } = await setUp()
  expect([baseUrl, publicBaseUrl]).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/public/api/v1`])
  const created = await fetch(`${publicBaseUrl}/projects`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"name":"Straße"}',
  })
  expect(created.status).toBe(201)
  const urls = [`${server.publicBaseUrl}/projects`, `${publicBaseUrl}/projects`]
  for (const url of urls) {
    const response = await server.fetch(new Request(url, { headers: { authorization } }))
    expect(await response.json()).toMatchObject({ data: [{ name: 'Straße' }] })
  }
  expect(server.requests.map(({ operation }) => operation)).toEqual([
    'projects.create',
    'projects.list',
    'projects.list',
  ])
})

test.each([
  ['GET http://localhost:1/health', 200],
  ['GET http://elsewhere:1/health', 403],
  ['GET /health?x=1', 200],
  ['GET //health', 404],
  ['GET /public/api/v1/transcripts/%E0%A4%A', 404],
  ['GET /%', 404],
  ['OPTIONS *', 204],
  ['GET http://[bad', 403],
])('%s is %d, never 500', async (line, status) => {
  const { port } = await setUp()
  expect((await raw(port, request(line, auth + close))).text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

test('takes the time from a clock that is an object of a class, also for a request that is not valid HTTP', async () => {
  class Clock {
    #ms = Date.UTC(2026, 0, 1)
    now() {
      return this.#ms
    }
  }
  const { port } = await setUp({ clock: new Clock() })
  const { text } = await raw(port, 'nonsense\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  expect(text).toContain('date: Thu, 01 Jan 2026 00:00:00 GMT')
})

test.each([
  ['nothing', ''],
  ['half a request line', 'GET /hea'],
  ['half of the headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\nAccept'],
  [
    'half of a body',
    request('POST /v1/annotations', `${auth}content-type: application/json\r\ncontent-length: 9\r\n`, '{"a'),
  ],
  [
    'a body of chunks without its end',
    request('POST /v1/annotations', `${auth}transfer-encoding: chunked\r\n`, '1\r\n{\r\n'),
  ],
  ['a request, and half of the next one', `${request('GET /health')}GET /hea`],
])('closes long before its grace ends, while a client has sent %s', async (_, bytes) => {
  // The test itself would time out first.
  const graceMs = 600_000
  const { port, close } = await setUp()
  const wire = dial(port, bytes)
  // The server has read the bytes before this later request.
  await fetch(`http://127.0.0.1:${port}/health`)
  await close({ graceMs })
  await wire.ended
})

test('answers a request that arrives completely while the server closes', async () => {
  const { port, close, server } = await setUp()
  const body = '{"annotator":"structural","transcript":[]}'
  const headers = `${auth}content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const wire = dial(port, request('POST /v1/annotations', headers, body.slice(0, 9)))
  await fetch(`http://127.0.0.1:${port}/health`)
  const closed = close({ graceMs: 600_000 })
  wire.write(body.slice(9))
  expect((await wire.ended).text).toMatch(/^HTTP\/1.1 200 /)
  await closed
  expect(server.requests.at(-1)).toMatchObject({ operation: 'annotations.create', status: 200 })
})

test('a body that is declared too large is refused before it comes, and the connection closes', async () => {
  const { port } = await setUp()
  const head = `${auth}Content-Type: application/json\r\nContent-Length: 5242881\r\n`
  const { text, socket } = await raw(port, request('POST /public/api/v1/projects', head), /"code":413\}\}$/)
  expect(text).toMatch(/^HTTP\/1\.1 413/)
  expect(text).toMatch(/connection: close/i)
  socket.destroy()
})

test('sends 100 Continue before it reads a body, and never before a refusal', async () => {
  const { port } = await setUp()
  const post = (length: number, key = auth) =>
    request(
      'POST /public/api/v1/projects',
      `${key}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`,
    )
  for (const [bytes, status] of [
    [post(6_000_000), 413],
    [post(20, ''), 401],
  ] as const) {
    const { text, socket } = await raw(port, bytes, /\}\}$/)
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    socket.destroy()
  }
  const { text, socket } = await raw(port, post(12), /\r\n\r\n$/)
  expect(text).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  socket.write('{"name":"n"}')
  expect(await answered).toMatch(/^HTTP\/1\.1 201/)
  socket.destroy()
})

test('refuses an endless chunked body over the limit, and reads on until the client has seen the response', async () => {
  const { publicBaseUrl } = await setUp({ ambiguities: { bodyBytes: 10_000 } })
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 1000
      if (sent > 3_000_000) controller.close()
      else controller.enqueue(new Uint8Array(1000))
    },
  })
  const init = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body, duplex: 'half' }
  const response = await fetch(`${publicBaseUrl}/projects`, init as RequestInit)
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 413 } })
})

test('lets a client that writes a large body to its end see the response, and no reset', async () => {
  const { port } = await setUp()
  const size = 20_000_000
  const bytes = request('POST /public/api/v1/projects', `Content-Length: ${size}\r\n`, 'x'.repeat(size))
  const { text, closed } = await raw(port, bytes)
  expect(text).toMatch(/^HTTP\/1\.1 401[\s\S]*"code":401\}\}$/)
  expect(closed).toBe(true)
})

test('lets a client that reads nothing before its large body is sent see the response, and no reset', async () => {
  const { port } = await setUp()
  const size = 30_000_000
  const wire = dial(port, request('POST /public/api/v1/projects', `Content-Length: ${size}\r\n`))
  wire.socket.pause().write('x'.repeat(size), 'latin1', () => wire.socket.resume())
  expect(await wire.ended).toMatchObject({ text: expect.stringMatching(/^HTTP\/1\.1 401/), by: 'end' })
})

test('reads on for as long as a client that it has refused writes its large body', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { port, baseUrl } = await setUp()
  const part = 'x'.repeat(50_000)
  const wire = dial(port, request('POST /public/api/v1/projects', `Content-Length: ${4 * part.length}\r\n`, part))
  await wire.until(/"code":401\}\}$/)
  for (const _ of ['second', 'third']) {
    wire.write(part)
    // The server has read the part before this later request.
    await fetch(`${baseUrl}/health`).then((response) => response.text())
    await vi.advanceTimersByTimeAsync(900)
    expect(wire.socket.readableEnded).toBe(false)
  }
  wire.write(part)
  expect((await wire.ended).by).toBe('end')
})

test('keeps the connection after an unread small body', async () => {
  const { port } = await setUp()
  const unread = request('POST /v1/batches', 'Content-Length: 5\r\n', 'hello')
  const { text } = await raw(port, unread + request('GET /health', close))
  expect(text).toMatch(/^HTTP\/1\.1 401[\s\S]*HTTP\/1\.1 200/)
})

test('records a client that closes during the body or the operation', async () => {
  let aborted: () => void = () => {}
  const gone = new Promise<void>((resolve) => {
    aborted = resolve
  })
  const slow = {
    id: 'slow',
    annotator_version: '1',
    taxonomy_version: '1',
    description: 'd',
    annotate: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        socketOf?.destroy()
        signal.addEventListener('abort', () => {
          aborted()
          reject(new Error('gone'))
        })
      }),
  }
  const { port, baseUrl, server } = await setUp({ annotators: [slow] })
  const socketOf: Socket | undefined = connect(port, '127.0.0.1')
  const body = JSON.stringify({ annotator: 'slow', transcript: [] })
  const head = `${auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  socketOf.write(request('POST /v1/annotations', head, body))
  await gone

  const half = connect(port, '127.0.0.1')
  half.write(request('POST /v1/annotations', head, '{'), () => half.destroy())
  await expect.poll(() => server.requests.some(({ status }) => status === 499)).toBe(true)
  expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
})

test('closes at once despite a kept connection, and frees the port', async () => {
  const { port, close: end, server } = await setUp()
  const { socket } = await raw(port, request('GET /health'), /\}$/)
  await end({ graceMs: 60_000 })
  expect((await server.fetch(new Request(`http://127.0.0.1:${port}/health`))).status).toBe(404)
  socket.destroy()
  expect(keep(await server.listen({ port })).port).toBe(port)
})

test('closes after a pending response, without waiting for the connection', async () => {
  let finish: () => void = () => {}
  let start: () => void = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const annotate = () => {
    start()
    return new Promise<never>((_resolve, reject) => {
      finish = () => reject(new Refusal(503, 'Later.'))
    })
  }
  const slow = { id: 'slow', annotator_version: '1', taxonomy_version: '1', description: 'd', annotate }
  const { baseUrl, close: end } = await setUp({ annotators: [slow] })
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ annotator: 'slow', transcript: [] })
  const answer = fetch(`${baseUrl}/v1/annotations`, { method: 'POST', headers, body })
  await started
  const ended = end({ graceMs: 60_000 })
  finish()
  const response = await answer
  expect([response.status, response.headers.get('connection')]).toEqual([503, 'close'])
  await ended
})

test.each([
  ['at once', 0],
  ['after a latency', 3_600_000],
])('answers each request of a client that has ended its half of the connection: %s', async (_, ms) => {
  const clock = steeredClock()
  const server = createServer({ clock, faults: [{ kind: 'latency', on: 'projects.create', ms }] })
  const { port } = keep(await server.listen())
  const headers = `${auth}Content-Type: application/json\r\nContent-Length: 12\r\n`
  const wire = dial(port)
  wire.socket.end(request('POST /public/api/v1/projects', headers, '{"name":"n"}').repeat(2), 'latin1')
  // An interim response shows that the server knows of the end.
  await wire.until(ms > 0 ? /HTTP\/1\.1 100 Continue/ : /HTTP\/1\.1 201/)
  clock.advance(ms)
  const { text, by } = await wire.ended
  expect([text.match(/HTTP\/1\.1 2\d\d /g), by]).toEqual([['HTTP/1.1 201 ', 'HTTP/1.1 201 '], 'end'])
})

test('counts a client of HTTP/1.0 that ends its half of the connection during a latency as gone', async () => {
  const server = createServer({ clock: steeredClock(), faults: [{ kind: 'latency', on: 'health', ms: 3_600_000 }] })
  const { port } = keep(await server.listen())
  const wire = dial(port)
  wire.socket.end('GET /health HTTP/1.0\r\n\r\n', 'latin1')
  expect((await wire.ended).text).toMatch(/^HTTP\/1\.1 400 /)
  expect(server.requests).toMatchObject([{ operation: 'health', status: 499 }])
})

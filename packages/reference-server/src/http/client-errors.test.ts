import { afterEach, expect, test } from 'vitest'
import { closeKept, dial, keep, request, serving, signal } from '../../test/fixtures/edge.js'
import { createServer, type ServerOptions } from '../core.js'

afterEach(closeKept)

async function setUp(options: ServerOptions = {}) {
  const server = createServer(options)
  return { server, ...keep(await server.listen()) }
}

interface Parsed {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** The answers in what came over a connection, each with its length. */
function answersIn(text: string): Parsed[] {
  const [, status, head = '', rest = ''] = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? []
  if (status === undefined) return []
  const lines = head.split('\r\n').map((line) => line.split(/: (.*)/, 2))
  const headers = Object.fromEntries(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]))
  const length = Number(headers['content-length'])
  return [
    { status: Number(status), headers, body: JSON.parse(rest.slice(0, length)) },
    ...answersIn(rest.slice(length)),
  ]
}

const annotation = { error: expect.any(String), detail: expect.any(String) }
const workspace = (code: number) => ({ error: { message: expect.any(String), type: 'invalid_request_error', code } })

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['another version', 'GET / HTTP/9.9\r\n\r\n', 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['bytes over 127 in a path', request('GET /\xfc'), 400],
  ['a space in a path', request('GET /a b'), 400],
  ['a control character in a header', request('GET /', 'a: \x01\r\n'), 400],
  ['two lengths', request('POST /', 'Content-Length: 1\r\nContent-Length: 2\r\n'), 400],
  ['a length and chunks', request('POST /', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), 400],
  ['headers over 16 KB', request('GET /', `a: ${'x'.repeat(17_000)}\r\n`), 431],
  ['a path over 16 KB', request(`GET /${'x'.repeat(17_000)}`), 431],
])('%s is refused in the envelope, and the connection ends', async (_, bytes, status) => {
  const { port } = await setUp({ clock: { now: () => 0 } })
  const { text, by } = await dial(port, bytes).ended
  expect(answersIn(text)).toEqual([
    {
      status,
      headers: {
        'content-type': 'application/json',
        'content-length': expect.any(String),
        connection: 'close',
        date: 'Thu, 01 Jan 1970 00:00:00 GMT',
      },
      body: annotation,
    },
  ])
  expect(by).toBe('end')
})

test.each([
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['two', 'GET /health HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n'],
  ...['x/y', 'a b', 'a@b', 'a:b', 'a:1:2', '[::1', '::1', '%4', 'http://a', 'a?', 'a#'].map((host) => [
    host,
    `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ]),
  ['bytes over 127', 'GET http://x/health HTTP/1.1\r\nHost: \xfc\r\n\r\n'],
])('a Host that is none is 400: %s', async (_, bytes) => {
  const { port } = await setUp()
  const [answer, ...more] = answersIn((await dial(port, bytes + request('GET /health')).ended).text)
  expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' }, body: annotation })
  expect(more).toEqual([])
})

test.each(['localhost:80', 'LOCALHOST:', '127.0.0.1:4010', '[::1]', '[::1]:80', ''])('%j is a Host', async (host) => {
  const { port } = await setUp()
  const { text } = await dial(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`).ended
  expect(answersIn(text)).toMatchObject([{ status: 200 }])
})

test('HTTP/1.0 needs no Host', async () => {
  const { port } = await setUp()
  expect(answersIn((await dial(port, 'GET /health HTTP/1.0\r\n\r\n').ended).text)).toMatchObject([{ status: 200 }])
})

test('uses the envelope of the workspace surface for a target below its base', async () => {
  const { port } = await setUp()
  for (const [bytes, status] of [
    [request('GET /public/api/v1/projects/\xfc'), 400],
    [request('GET /public/api/v1/projects', 'a b: c\r\n'), 400],
    ['GET /public/api/v1/projects HTTP/1.1\r\n\r\n', 400],
    [request('GET /public/api/v1/projects', 'Expect: wonders\r\n'), 417],
  ] as const) {
    const [answer] = answersIn((await dial(port, bytes).ended).text)
    expect(answer).toMatchObject({ status, body: workspace(status) })
  }
})

test('answers a method unknown to Node like any other, and records it', async () => {
  const { port, server } = await setUp()
  const brew = request('BREW /public/api/v1/projects?x')
  const [known, unknown, nowhere] = [
    answersIn((await dial(port, request('DELETE /public/api/v1/projects', 'Connection: close\r\n')).ended).text)[0],
    answersIn((await dial(port, brew).ended).text)[0],
    answersIn((await dial(port, request('get /nope')).ended).text)[0],
  ]
  expect(unknown).toMatchObject({ status: 405, headers: { allow: known?.headers.allow }, body: known?.body })
  expect(nowhere).toMatchObject({ status: 404, body: annotation })
  expect(server.requests.map(({ method, path, status }) => [method, path, status])).toEqual([
    ['DELETE', '/projects', 405],
    ['BREW', '/projects?x', 405],
    ['get', '/nope', 404],
  ])
})

test('CONNECT is answered like any method, and nothing is connected', async () => {
  const { port, server, close } = await setUp()
  const [answer] = answersIn((await dial(port, request('CONNECT other.test:443', '', 'hello')).ended).text)
  expect(answer).toMatchObject({ status: 404, headers: { connection: 'close' }, body: annotation })
  expect(server.requests).toMatchObject([{ method: 'CONNECT', status: 404 }])
  const silent = dial(port, request('CONNECT other.test:443'))
  await silent.until(/\}$/)
  await close({ graceMs: 60_000 })
  await silent.ended
})

test('answers a request with Upgrade, and closes the connection', async () => {
  const { port } = await setUp()
  const upgrade = request('GET /health', 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n')
  const { text, by } = await dial(port, upgrade).ended
  expect(answersIn(text)).toMatchObject([{ status: 200, headers: { connection: 'close' } }])
  expect(by).toBe('end')
})

test('a refusal of broken headers has no body for HEAD', async () => {
  const { port } = await setUp()
  const { text } = await dial(port, request('HEAD /health', 'a b: c\r\n')).ended
  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*content-length: [1-9][\s\S]*\r\n\r\n$/)
})

test('answers the requests before malformed bytes first, each once', async () => {
  const work = signal()
  const { port } = await serving(async ({ path }) => {
    if (path === '/slow') await work.given
    return { status: 200, headers: {}, body: JSON.stringify(path) }
  })
  const { ended } = dial(port, request('GET /slow') + request('GET /b/x') + request('GET /\xfc'))
  const other = dial(port, request('GET /other', 'Connection: close\r\n'))
  await other.ended
  work.give()
  const { text, by } = await ended
  expect(answersIn(text).map(({ status, body }) => [status, body])).toEqual([
    [200, '/slow'],
    [200, '/x'],
    [400, annotation],
  ])
  expect(by).toBe('end')
})

test('completes earlier responses after a body that ends too early', async () => {
  const [work, made] = [signal(), signal()]
  const { port } = await serving(async ({ path }) => {
    if (path === '/slow') await work.given
    if (path === '/refused') setImmediate(made.give)
    return { status: path === '/refused' ? 401 : 200, headers: {}, body: JSON.stringify(path) }
  })
  const chunked = request('POST /refused', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n')
  const wire = dial(port, request('GET /slow') + request('GET /b/x') + chunked)
  await made.given
  wire.write('xx\r\n')
  // The answer to a later connection shows that the broken bytes have been read.
  await dial(port, request('GET /other', 'Connection: close\r\n')).ended
  work.give()
  const { text, by } = await wire.ended
  expect(answersIn(text).map(({ status, body }) => [status, body])).toEqual([
    [200, '/slow'],
    [200, '/x'],
    [401, '/refused'],
  ])
  expect(by).toBe('end')
})

test.each([
  ['a chunk without a size', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\nxx\r\n'],
  ['an end before its length', 'Content-Length: 100\r\n', '{"name":'],
])('a body that breaks off is refused by the surface: %s', async (_, headers, content) => {
  const { port, server } = await setUp()
  const auth = 'Authorization: Bearer sk-service-api03-reference\r\nContent-Type: application/json\r\n'
  const wire = dial(port, request('POST /public/api/v1/projects', auth + headers, content))
  wire.socket.end()
  const answers = answersIn((await wire.ended).text)
  expect(answers).toMatchObject([{ status: 400, headers: { connection: 'close' }, body: workspace(400) }])
  await expect.poll(() => server.requests.map(({ status }) => status)).toHaveLength(1)
})

test('ends a response during which malformed bytes arrive, without writing into it', async () => {
  const { port } = await serving({ kind: 'stall', bytes: 3 })
  const wire = dial(port, request('POST /', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n'))
  await wire.until(/\r\n\r\n.{3}/)
  wire.write('xx\r\n')
  const { text } = await wire.ended
  expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('{"\xc3')
})

const patience = { headersMs: 60_000, idleMs: 60_000, keepAliveMs: 60_000, checkMs: 10 }

test('responds with 408 to headers that are late', async () => {
  const { port } = await serving(undefined, { patience: { ...patience, headersMs: 20 } })
  const { text } = await dial(port, 'GET / HTTP/1.1\r\nHost: x\r\n').ended
  expect(answersIn(text)).toMatchObject([{ status: 408, body: annotation }])
})

test('responds with 408 to a stalled body, and waits for an operation', async () => {
  const idle = signal()
  const { port } = await serving(
    async (call) => {
      if (call.path === '/work') await idle.given
      const status = await call.readBody(10).then(
        () => 200,
        (error: { status: number }) => error.status,
      )
      return { status, headers: {}, body: '{}' }
    },
    { patience: { ...patience, idleMs: 300 } },
  )
  const working = dial(port, request('GET /work', 'Connection: close\r\n'))
  const still = dial(port, request('POST /', 'Content-Length: 9\r\n', '{'))
  expect(answersIn((await still.ended).text)).toMatchObject([{ status: 408, headers: { connection: 'close' } }])
  idle.give()
  expect(answersIn((await working.ended).text)).toMatchObject([{ status: 200 }])
})

test.each([
  ['headersMs', ''],
  ['idleMs', ''],
  ['keepAliveMs', request('GET /')],
])('a connection on which nothing more is asked is closed without a word: %s', async (name, bytes) => {
  const { port } = await serving(undefined, { patience: { ...patience, [name]: 20 } })
  const { text, by } = await dial(port, bytes).ended
  expect(text).toMatch(bytes === '' ? /^$/ : /^HTTP\/1\.1 200 OK\r\n[^{]*\{[^{]*\}$/)
  expect(by).toBe('end')
})

import { mkdtemp, rm } from 'node:fs/promises'
import { request as ask } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { body, closeKept, dial, keep, request, serving, signal } from '../../test/fixtures/edge.js'
import { createServer } from '../core.js'

afterEach(closeKept)

test("names a port that is in use, and keeps the system's code", async () => {
  const server = createServer()
  const { port } = keep(await server.listen())
  await expect(server.listen({ port })).rejects.toMatchObject({
    message: `Cannot listen on 127.0.0.1:${port}: it is in use.`,
    code: 'EADDRINUSE',
  })
  await expect(server.listen({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
})

test('serves over a Unix socket, faults included, and refuses a second listener', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-listen-'))
  const path = join(folder, 'svc.sock')
  try {
    const server = createServer({ faults: [{ kind: 'reset-before', on: 'batches.create' }] })
    const { baseUrl, publicBaseUrl, port } = keep(await server.listen({ path }))
    expect([baseUrl, publicBaseUrl, port]).toEqual(['http://localhost', 'http://localhost/public/api/v1', 0])
    const answer = await new Promise((resolve, reject) => {
      ask({ socketPath: path, path: '/health' }, (response) => resolve(text(response)))
        .on('error', reject)
        .end()
    })
    expect(answer).toBe('{"status":"ok","substrate":"lambda"}')
    expect((await dial(path, request('POST /v1/batches')).ended).text).toBe('')
    await expect(server.listen({ path })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  } finally {
    await closeKept()
    await rm(folder, { recursive: true })
  }
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

test.runIf(hasIpv6)('an address of IPv6 stands in brackets', async () => {
  for (const host of ['::1', '::']) {
    const { baseUrl, port } = keep(await createServer().listen({ host }))
    expect(baseUrl).toBe(`http://[::1]:${port}`)
    expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
  }
})

test('returns a reachable address for a wildcard address', async () => {
  const { baseUrl, port } = keep(await createServer().listen({ host: '0.0.0.0' }))
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`)
  expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
})

test('closes: refuses new connections, finishes pending responses, and cuts them after graceMs', async () => {
  const work = signal()
  const arrived = [signal(), signal()]
  const { port, close } = await serving(async ({ path }) => {
    arrived[path === '/1' ? 0 : 1]?.give()
    await (path === '/1' ? work.given : new Promise(() => {}))
    return { status: 200, headers: {}, body: '{}' }
  })
  const [ends, never] = [dial(port, request('GET /1')), dial(port, request('GET /2'))]
  await Promise.all(arrived.map(({ given }) => given))
  const closed = close({ graceMs: 200 })
  expect((await dial(port, request('GET /1')).ended).by).toBe('ECONNREFUSED')
  work.give()
  expect((await ends.ended).text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*\{\}$/i)
  await closed
  expect((await never.ended).text).toBe('')
})

test('answers pipelined requests in order', async () => {
  const first = signal()
  const { port } = await serving(async ({ path }) => {
    if (path === '/1') await first.given
    if (path === '/3') first.give()
    return { status: 200, headers: {}, body: JSON.stringify(path) }
  })
  const lines = ['GET /1', 'GET /2', 'GET /3']
  const { until } = dial(port, lines.map((line) => request(line)).join(''))
  expect((await until(/"\/3"$/)).match(/"\/\d"/g)).toEqual(['"/1"', '"/2"', '"/3"'])
})

test('aborts a hundred pipelined requests when the client closes, without a warning of Node', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  const all = signal()
  let gone = 0
  const { port, calls } = await serving(async (call) => {
    call.signal.addEventListener('abort', () => {
      gone += 1
      if (gone === 100) all.give()
    })
    if (calls.length === 100) socket.destroy()
    return new Promise(() => {})
  })
  const { socket } = dial(port, request('GET /').repeat(100))
  await all.given
  process.off('warning', warned)
  expect(warnings).toEqual([])
})

test('responds with 500 to a response that cannot be written, and closes the connection', async () => {
  const headers = { 'x-broken': 'a\nb' }
  const { port } = await serving(async () => ({ status: 200, headers, body }))
  const { text: all } = await dial(port, request('GET /b/x')).ended
  expect(all).toMatch(/^HTTP\/1\.1 500 /)
  expect(all).toMatch('{"error":{"message":"The server failed.","type":"api_error","code":500}}')
})

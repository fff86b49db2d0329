import { afterEach, expect, test } from 'vitest'
import { closeKept, dial, keep, request } from '../../test/fixtures/edge.js'
import { createServer, referenceKey } from '../core.js'

afterEach(closeKept)

async function setUp() {
  const server = createServer({ clock: { now: () => 0 }, control: { token: 't0ken' } })
  return { server, ...keep(await server.listen()) }
}

const close = 'Connection: close\r\n'

/** The first line, and the headers by their names. */
function headOf(text: string) {
  const [line = '', ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
  const headers = lines.map((header) => header.split(': ') as [string, string])
  expect(new Set(headers.map(([name]) => name.toLowerCase())).size).toBe(headers.length)
  return { line, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) }
}

test.each([
  [200, request('GET /health', close)],
  [401, request('GET /public/api/v1/projects', close)],
  [400, 'GET /health HTTP/1.1\r\n\r\n'],
  [417, request('GET /health', 'Expect: wonders\r\n')],
  [400, request('GET /health', 'a b: c\r\n')],
  [200, request('GET /_svc/requests', `${close}Authorization: Bearer t0ken\r\n`)],
  [403, request('GET /_svc/requests', close).replace('Host: localhost', 'Host: x')],
  [204, request('OPTIONS *', close)],
])('an answer of %i bears the time of the server, once', async (status, bytes) => {
  const { port } = await setUp()
  const { line, headers } = headOf((await dial(port, bytes).ended).text)
  expect(line).toMatch(` ${status} `)
  expect(headers.date).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
})

test('answers OPTIONS * with the methods of all paths', async () => {
  const { port, server } = await setUp()
  const { text } = await dial(
    port,
    request('OPTIONS *') + request('OPTIONS *', 'Content-Length: 2\r\n', 'ab') + request('OPTIONS *', close),
  ).ended
  expect(text.match(/HTTP\/1\.1 204 /g)).toHaveLength(3)
  const { headers } = headOf(text)
  const whole = headers.allow?.split(', ')
  expect(headers).not.toHaveProperty('content-length')
  expect(server.requests).toEqual([])
  const allowed: string[] = []
  for (const path of ['/health', '/v1/annotations', '/public/api/v1/projects', '/public/api/v1/transcripts/t']) {
    const { headers: routeHeaders } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'OPTIONS' })
    allowed.push(...(routeHeaders.get('allow')?.split(', ') ?? []))
  }
  expect(new Set(whole)).toEqual(new Set(allowed))
})

test('accepts the target * with OPTIONS only, and requires a Host', async () => {
  const { port } = await setUp()
  const authorization = `Authorization: Bearer ${referenceKey}\r\n`
  expect((await dial(port, request('GET *', authorization + close)).ended).text).toMatch(/^HTTP\/1\.1 404 /)
  expect((await dial(port, 'OPTIONS * HTTP/1.1\r\n\r\n').ended).text).toMatch(/^HTTP\/1\.1 400 /)
})

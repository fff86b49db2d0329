import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createReferenceServer, referenceKey, structural } from './index.js'

const server = createReferenceServer({ baseUrl: 'http://svc.test', clock: { now: () => 0 } })
const network = setupServer(
  ...server.handlers,
  http.get('http://other.test/health', () => HttpResponse.text('other')),
)
const headers = { authorization: `Bearer ${referenceKey}` }

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => network.resetHandlers())
afterAll(() => network.close())

test('the global fetch meets both surfaces under their full URLs', async () => {
  expect(await (await fetch('http://svc.test/health')).json()).toEqual({ status: 'ok', substrate: 'lambda' })
  const created = await fetch('http://svc.test/public/api/v1/projects', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'n' }),
  })
  expect(created.status).toBe(201)
  expect(server.world.projects()).toHaveLength(1)
})

test('other hosts and other origins are left alone', async () => {
  expect(await (await fetch('http://other.test/health')).text()).toBe('other')
})

test.each([
  ['GET', '/nope'],
  ['HEAD', '/health'],
  ['OPTIONS', '/health'],
  ['DELETE', '/public/api/v1/projects'],
  ['GET', '/HEALTH'],
  ['GET', '/public/api/v1/transcripts/%E0%A4%A'],
  ['GET', '/v1/batches/%E0%A4%A'],
  ['GET', '/public/api/v1/projects?limit=0'],
])('%s %s is answered as in process', async (method, path) => {
  const url = `http://svc.test${path}`
  const [over, inside] = [
    await fetch(url, { method, headers }),
    await server.fetch(new Request(url, { method, headers })),
  ]
  expect(over.status).toBe(inside.status)
  expect(await over.text()).toBe(await inside.text())
  expect(over.headers.get('allow')).toBe(inside.headers.get('allow'))
})

test('an error inside an operation leaks no stack', async () => {
  const broken = {
    ...structural,
    annotate: () => {
      throw new Error('secret')
    },
  }
  const failing = createReferenceServer({ baseUrl: 'http://failing.test', annotators: [broken], onError() {} })
  network.use(...failing.handlers)
  const response = await fetch('http://failing.test/v1/annotations', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ annotator: 'structural', transcript: [] }),
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: 'internal_error', detail: 'The server failed.' })
})

test('a handler of one’s own in front overrides an answer', async () => {
  network.use(http.get('http://svc.test/health', () => HttpResponse.json({ status: 'ill', substrate: 'fargate' })))
  expect(await (await fetch('http://svc.test/health')).json()).toEqual({ status: 'ill', substrate: 'fargate' })
})

test('a body over the limit is refused', async () => {
  const response = await fetch('http://svc.test/public/api/v1/projects', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: 'x'.repeat(5 * 2 ** 20 + 1),
  })
  expect(response.status).toBe(413)
})

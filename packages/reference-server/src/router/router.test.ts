import { expect, test } from 'vitest'
import { A, B, setUp, upload } from '../../test/fixtures/server.js'
import { defaultAmbiguities } from '../ambiguities/index.js'
import { steeredClock } from '../clock.js'
import { Faults } from '../faults/index.js'
import { RateLimiter } from '../rate-limit.js'
import { Refusal } from '../refusal.js'
import type { ServerParts } from '../routes/index.js'
import { createRouteTable } from './route-table.js'
import { createRouter } from './router.js'

const run = () => ({ status: 200, body: {} })

test('finds a route by surface and path, with its parameters decoded and its methods in Allow', () => {
  const find = createRouteTable([
    { id: 'get', surface: 'workspace', method: 'GET', path: '/a.b/{name}', run },
    { id: 'post', surface: 'workspace', method: 'POST', path: '/a.b/{name}', run },
    { id: 'other', surface: 'annotation', method: 'POST', path: '/a.b/{name}', run },
  ])
  expect(find('workspace', '/a.b/%C3%A4')).toMatchObject({
    params: { name: 'ä' },
    route: { allow: 'GET, HEAD, POST, OPTIONS' },
  })
  expect(find('annotation', '/a.b/x')?.route.allow).toBe('POST, OPTIONS')
  expect(find('workspace', '/a.b/%')?.params).toEqual({ name: undefined })
  for (const path of ['/aXb/x', '/a.b/', '/a.b/x/y', '/z/a.b/x', '/a.b/x/'])
    expect(find('workspace', path)).toBeUndefined()
})

test('records a request that no operation answers, with its status and without its key', async () => {
  const { server, send } = setUp()
  await send(`${A}/nowhere?key=sk-service-api03-0123456789abcdef`, { key: 'sk-service-api03-fedcba9876543210' })
  await send(`${B}/projects`, { key: null })
  expect(server.requests).toMatchObject([
    { path: '/nowhere?key=sk-service-api03-…cdef', status: 404, operation: null, key: 'sk-service-api03-…3210' },
    { path: '/projects', status: 401, operation: 'projects.list', key: null },
  ])
})

test('throws the rejection of the edge before any other check', async () => {
  const router = createRouter({
    server: { clock: { now: () => 0 }, ambiguities: defaultAmbiguities } as ServerParts,
    findRoute: () => undefined,
    limiter: new RateLimiter(undefined),
    faults: new Faults(),
    faultHeader: false,
    record() {},
    onError() {},
  })
  const request = {
    edge: 'http',
    scheme: 'http',
    headers: () => ({}),
    method: 'GET',
    surface: 'workspace',
    path: '/nowhere',
    query: '',
  } as const
  const parts = {
    header: () => 'https://app.example',
    readBody: async () => new Uint8Array(),
    signal: AbortSignal.any([]),
  }
  const response = await router({ ...request, ...parts, rejection: new Refusal(403, 'no') })
  expect(response.status).toBe(403)
  expect(response.headers).not.toHaveProperty('access-control-allow-origin')
})

const origin = { origin: 'https://app.example' }
const preflight = { ...origin, 'access-control-request-method': 'GET' }

test('answers a preflight with the methods of the path, the origin and default headers', async () => {
  const { send } = setUp()
  const { status, headers } = await send(`${B}/projects`, { method: 'OPTIONS', key: null, headers: preflight })
  expect([status, Object.fromEntries(headers)]).toEqual([
    204,
    {
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': 'retry-after, date, allow, www-authenticate',
      'access-control-max-age': '600',
      date: expect.any(String),
      vary: 'origin',
    },
  ])
})

test.each([
  ['GET', preflight, 200],
  ['OPTIONS', origin, 204],
  ['OPTIONS', { 'access-control-request-method': 'GET' }, 204],
])('treats %s with %j as no preflight', async (method, headers, status) => {
  const response = await setUp().send(`${B}/projects`, { method, headers })
  expect(response.status).toBe(status)
  expect(response.headers.has('access-control-max-age')).toBe(false)
  expect(response.headers.get('allow')).toBe(method === 'OPTIONS' ? 'GET, HEAD, POST, OPTIONS' : null)
})

test('ends a request whose client closes during a latency, without its operation', async () => {
  const { server } = setUp({ clock: steeredClock(), faults: [{ kind: 'latency', ms: 60_000 }] })
  const controller = new AbortController()
  const response = server.fetch(`${A}/health`, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(response).rejects.toThrow('enough')
  expect(server.requests).toMatchObject([{ operation: 'health', status: 499 }])
})

test.each([
  ['submit-error', 'error'],
  ['latency; ms=0', 'queued'],
])('uploads under the fault %s with processing_status %s', async (fault, processing_status) => {
  const { send, newProject } = setUp({ faultHeader: true })
  const { body } = await send(`${B}/projects/${newProject()}/transcripts`, {
    body: upload,
    headers: { 'svc-fault': fault },
  })
  expect(body).toMatchObject({ data: { processing_status }, processing_time_ms: 0 })
})

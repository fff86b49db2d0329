import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createReferenceServer, referenceKey } from './index.js'

const server = createReferenceServer({ baseUrl: 'http://svc.test', clock: { now: () => 0 } })
const network = setupServer(
  ...server.handlers,
  http.get('http://other.test/health', () => HttpResponse.text('other')),
)
const headers = { authorization: `Bearer ${referenceKey}` }

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => network.resetHandlers())
afterAll(() => network.close())

test('intercepts both surfaces under their full URLs', async () => {
  expect(await (await fetch('http://svc.test/health')).json()).toEqual({ status: 'ok', substrate: 'lambda' })
  const created = await fetch('http://svc.test/public/api/v1/projects', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'n' }),
  })
  expect(created.status).toBe(201)
  expect(server.world.projects()).toHaveLength(1)
})

test('passes other hosts and origins through', async () => {
  expect(await (await fetch('http://other.test/health')).text()).toBe('other')
})

test('lets an earlier handler override a response', async () => {
  network.use(http.get('http://svc.test/health', () => HttpResponse.json({ status: 'ill', substrate: 'fargate' })))
  expect(await (await fetch('http://svc.test/health')).json()).toEqual({ status: 'ill', substrate: 'fargate' })
})

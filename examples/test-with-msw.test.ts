// Test an app that calls the global fetch: MSW passes its requests to the reference server, and refuses all others.
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const server = createReferenceServer({ baseUrl: 'https://svc.test' })
const network = setupServer(...server.handlers)
beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.reset())
afterAll(() => network.close())

test('my app creates a project', async () => {
  const response = await fetch('https://svc.test/public/api/v1/projects', {
    method: 'POST',
    headers: { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Support' }),
  })

  expect(response.status).toBe(201)
  expect(server.world.projects()).toMatchObject([{ record: { name: 'Support' } }])
  expect(server.requests).toMatchObject([{ operation: 'projects.create', status: 201 }])
})

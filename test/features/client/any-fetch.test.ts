import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { openapi } from '@svc/client/openapi'
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { expect, it, onTestFinished } from 'vitest'

async function service() {
  const server = createReferenceServer()
  const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
  onTestFinished(() => close())
  return { server, options: { apiKey: referenceKey, baseUrl, publicBaseUrl, environment: {}, retry: false } as const }
}

it.each([
  ['undici', undici.fetch],
  ['the runtime', globalThis.fetch],
  ['a wrapper of the runtime', (url: string, init: RequestInit) => fetch(url, { ...init, keepalive: true })],
])('every method works with the fetch of %s, and so do the openapi-fetch clients', async (_, fetch) => {
  const { server, options } = await service()
  const svc = createClient({ ...options, fetch })
  const { id } = await svc.projects.create({ name: 'P' })
  await svc.transcripts.upload(id, { name: 'T', turns: [{ role: 'user', content: 'Hi' }] })
  expect((await svc.transcripts.list(id)).data.map(({ name }) => name)).toEqual(['T'])
  const { data, response } = await openapi(svc).workspace.POST('/projects', { body: { name: 'Q' } })
  expect([data?.data.name, response.status, server.world.projects().length]).toEqual(['Q', 201, 2])
})

it('a request of nodeTransport() is seen by MSW, which replaces node:http', async () => {
  const { options } = await service()
  const answer = { status: 'ok', substrate: 'lambda' }
  const msw = setupServer(http.get(`${options.baseUrl}/health`, () => HttpResponse.json({ ...answer, from: 'MSW' })))
  msw.listen({ onUnhandledRequest: 'bypass' })
  onTestFinished(() => msw.close())
  await using transport = nodeTransport()
  expect(await createClient({ ...options, transport }).health()).toMatchObject({ from: 'MSW' })
  msw.close()
  expect(await createClient({ ...options, transport }).health()).not.toMatchObject({ from: 'MSW' })
})

import { createClient, type SvcClient } from '@svc/client'
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handClock } from '../hand-clock.js'

/** What a client sees of one short story; times stand still and ids are counted, so it is the same every time. */
async function story(svc: SvcClient): Promise<unknown[]> {
  const settled = async (call: PromiseLike<unknown>) =>
    Promise.resolve(call).catch(({ name, status, kind, detail }) => ({ name, status, kind, detail }))
  const { id } = await svc.projects.create({ name: 'P' })
  const turns = [{ role: 'user' as const, content: 'héllo 🙂' }]
  const stored = await svc.transcripts.upload(id, { name: 'T', turns, metadata: { a: [1, null] } })
  return [
    stored,
    await settled(svc.health()),
    await settled(svc.annotators.list()),
    await settled(svc.annotations.create({ transcript: turns, annotator: 'structural' })),
    await settled(svc.transcripts.get(stored.id)),
    await settled(svc.transcripts.list(id, { q: 'HÉLLO', limit: 1 })),
    await settled(svc.projects.get('a/b?c#d')),
    await settled(svc.projects.create({ name: '' })),
    await settled(
      svc.transcripts.upload(id, { name: 'T', turns: [{ role: 'user', content: 'x'.repeat(2 ** 20 + 1) }] }),
    ),
    await settled(svc.batches.create({})),
    await settled(svc.batches.get('\u0001')),
  ]
}

const options = () => ({ clock: handClock() })
const mockedUrls = { baseUrl: 'https://mocked.test', publicBaseUrl: 'https://mocked.test/public/api/v1' }
const interceptor = setupServer()

beforeAll(() => interceptor.listen({ onUnhandledRequest: 'bypass' }))
afterAll(() => interceptor.close())

const edges: Record<string, () => Promise<{ svc: SvcClient; close: () => Promise<void> | void }>> = {
  async 'MSW handlers'() {
    const server = createReferenceServer({ ...options(), ...mockedUrls })
    interceptor.use(...server.handlers)
    return { svc: createClient({ apiKey: referenceKey, ...mockedUrls }), close: () => interceptor.resetHandlers() }
  },
  async HTTP() {
    const server = createReferenceServer(options())
    const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
    return { svc: createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl }), close }
  },
}

describe.each(Object.entries(edges))('over %s', (_, open) => {
  it('a client sees what it sees over the direct Fetch', async () => {
    const direct = createReferenceServer(options())
    const { baseUrl, publicBaseUrl, fetch } = direct
    const expected = await story(createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, fetch, allowHttp: true }))
    const { svc, close } = await open()
    try {
      expect(await story(svc)).toEqual(expected)
    } finally {
      await close()
    }
  })
})

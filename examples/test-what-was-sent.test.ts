// Assert on the requests that your own code sent to the reference server.
import '@svc/reference-server/vitest'
import { createClient } from '@svc/client'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { expect, test } from 'vitest'

test('my upload names its source', async () => {
  const server = createServer()
  const { fetch, baseUrl, publicBaseUrl } = server
  const svc = createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl })
  const project = await svc.projects.create({ name: 'Support' })

  const turns = [{ role: 'user' as const, content: 'Where is it?' }]
  await svc.transcripts.upload(project.id, { name: 'Order 7', sourceSystem: 'desk', turns })

  expect(server).toHaveReceived('transcripts.upload', { body: { sourceSystem: 'desk' }, times: 1 })
  expect(server.violations()).toEqual([])
})

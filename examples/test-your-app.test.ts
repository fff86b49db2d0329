// Test code of your own against the reference server: no port, no mock, no network.
import { createClient } from '@svc/client'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { expect, test } from 'vitest'

test('my upload is stored', async () => {
  const { fetch, baseUrl, publicBaseUrl } = createServer()
  const svc = createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl })

  const project = await svc.projects.create({ name: 'Support' })
  await svc.transcripts.upload(project.id, { name: 'Order 7', turns: [{ role: 'user', content: 'Where is it?' }] })

  expect((await svc.projects.get(project.id)).transcript_count).toBe(1)
})

// Test that an uploader keeps a conversation through a rate limit, with one clock for client, server and uploader.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUploader } from '@svc/bulk'
import { createClient } from '@svc/client'
import { createServer, parseFault, referenceKey, steeredClock } from '@svc/reference-server/core'
import { expect, onTestFinished, test } from 'vitest'

test('my conversation is stored after a pause of two minutes', async () => {
  const clock = steeredClock()
  const faults = [parseFault('transcripts.upload: status; code=429; retry-after=120; times=1')]
  const server = createServer({ clock, faults })
  const { fetch, baseUrl, publicBaseUrl } = server
  const client = createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl, clock })
  const project = server.world.createProject({ name: 'Support' }).record.id
  const ledger = mkdtempSync(join(tmpdir(), 'uploads-'))
  onTestFinished(() => rmSync(ledger, { recursive: true }))
  const results: string[] = []
  await using uploader = createUploader({
    ...{ client, project, ledger, clock },
    onResult: ({ result }) => results.push(result),
    onEvent: (event) => event.type === 'paused' && setImmediate(() => clock.advance(2 * event.ms)),
  })

  await uploader.add({ name: 'Call 7', turns: [{ role: 'user', content: 'Where is order 7?' }] })

  expect(await uploader.flush({ timeoutMs: 600_000 })).toBe(true)
  expect(results).toEqual(['uploaded'])
  expect(server.requests.for('transcripts.upload')).toHaveLength(2)
})

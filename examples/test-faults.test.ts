// Test your app against a lost answer, a full quota and a pipeline that takes time.
import { type ClientOptions, createClient } from '@svc/client'
import { createServer, parseFault, referenceKey, steeredClock } from '@svc/reference-server/core'
import { expect, test } from 'vitest'

/** A client of a reference server in process. */
const clientOf = ({ fetch, baseUrl, publicBaseUrl }: ReturnType<typeof createServer>, options: ClientOptions = {}) =>
  createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl, ...options })

const upload = { name: 'Order 7', turns: [{ role: 'user', content: 'Where is it?' }] }

test('an answer that is lost makes no second transcript', async () => {
  const server = createServer({ faults: [parseFault('transcripts.upload: lost; times=1')] })
  const svc = clientOf(server)
  const { id } = await svc.projects.create({ name: 'Support' })

  await svc.transcripts.upload(id, upload)

  expect(server.world.transcripts(id)).toHaveLength(1)
})

test('waits for a full quota, or reports it', async () => {
  const clock = steeredClock()
  const server = createServer({ clock, limits: { requests: 1, windowMs: 60_000 } })
  const impatient = () => clientOf(server, { retry: { maxRetryAfterMs: 0 } })
  await impatient().projects.list()

  await expect(impatient().projects.list()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 60_000 })

  clock.advance(60_000)
  await impatient().projects.list()
})

test('annotations of an upload show once the pipeline has run', async () => {
  const clock = steeredClock()
  const server = createServer({
    clock,
    pipeline: { afterMs: 60_000, model: ({ turns }) => ({ turns_read: turns.length }) },
  })
  const svc = clientOf(server)
  const { id } = await svc.projects.create({ name: 'Support' })
  await svc.transcripts.upload(id, upload)
  expect((await svc.transcripts.list(id, { annotation: 'turns_read:1' })).data).toEqual([])

  clock.advance(180_000)

  expect((await svc.transcripts.list(id, { annotation: 'turns_read:1' })).data).toHaveLength(1)
})

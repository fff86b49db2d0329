import { expect, test } from 'vitest'
import { A, annotation, B, setUp, upload } from './server-fixture.js'

test('a fault before the operation stores nothing, and one after it stores', async () => {
  const { server, send, newProject } = setUp({
    faults: [
      { on: 'transcripts.upload', kind: 'status', code: 503, retryAfter: 2, times: 1 },
      { on: 'transcripts.upload', kind: 'wrong-type', skip: 1, times: 1 },
    ],
  })
  const project = newProject()
  const path = `${B}/projects/${project}/transcripts`
  const refused = await send(path, { body: upload })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
  expect(refused.body).toMatchObject({ error: { type: 'api_error', code: 503 } })
  expect(server.world.transcripts(project)).toHaveLength(0)
  await expect(send(path, { body: upload })).rejects.toThrow('Unexpected token')
  expect(server.world.transcripts(project)).toHaveLength(1)
  expect((await send(path, { body: upload })).status).toBe(201)
})

test('a request may ask for a fault only where the server listens to that', async () => {
  const headers = { 'svc-fault': 'status; code=502' }
  expect(await setUp().status(`${A}/health`, { headers })).toBe(200)
  const { status, send } = setUp({ faultHeader: true })
  expect(await status(`${A}/health`, { headers })).toBe(502)
  expect(await status(`${A}/health`)).toBe(200)
  expect(await send(`${A}/health`, { headers: { 'svc-fault': 'boom' } })).toMatchObject({
    status: 400,
    body: { error: 'bad_request', detail: expect.stringContaining('svc-fault: The fault "boom" cannot be read') },
  })
})

test('latency waits by the clock of the server', async () => {
  let callback = () => {}
  const waits: number[] = []
  const after = (ms: number, then: () => void) => {
    waits.push(ms)
    callback = then
    return () => {}
  }
  const { send } = setUp({ clock: { now: () => 0, after }, faults: [{ kind: 'latency', ms: 5_000 }] })
  let answered = false
  const answer = send(`${A}/health`).then(() => (answered = true))
  await new Promise(setImmediate)
  expect([waits, answered]).toEqual([[5_000], false])
  callback()
  await answer
})

test('the provider saturates for all keys together, and says so', async () => {
  const seed = { keys: [{ key: 'a' }, { key: 'b' }] }
  const limits = { requests: 5, windowMs: 60_000, saturation: { requests: 2, windowMs: 10_000 } }
  const { clock, send, status } = setUp({ seed, limits })
  const annotate = (key: string) => send(`${A}/v1/annotations`, { body: annotation, key })
  await annotate('a')
  await annotate('b')
  const refused = await annotate('a')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(refused.body).toMatchObject({ detail: 'The provider is saturated.' })
  // Other operations are not of the provider.
  expect(await status(`${B}/projects`, { key: 'a' })).toBe(200)
  clock.time += 10_000
  // The refused one did not use up the key's own quota of five.
  for (let i = 0; i < 2; i++) expect((await annotate('a')).status).toBe(200)
})

test('a page of any origin may ask, send and read', async () => {
  const { send } = setUp()
  const headers = {
    origin: 'https://app.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  const asked = await send(`${B}/projects`, { method: 'OPTIONS', key: null, headers })
  expect(asked.status).toBe(204)
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': 'authorization',
  })
  const refused = await send(`${B}/nothing`, { headers: { origin: 'https://app.test' } })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
  expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after')
  expect((await send(`${B}/projects`)).headers.has('access-control-allow-origin')).toBe(false)
})

test('a reset puts everything back to the start, and ids come as before', async () => {
  const { server, send, status } = setUp({
    limits: { requests: 1, windowMs: 1000 },
    faults: [{ kind: 'status', code: 502, times: 1 }],
  })
  const story = async () => [
    await status(`${B}/projects`),
    await send(`${B}/projects`, { body: { name: 'x' } }),
    await status(`${B}/projects`),
  ]
  const first = JSON.stringify(await story())
  server.world.delete('sk-service-api03-reference')
  server.reset()
  expect(server.requests).toEqual([])
  expect(JSON.stringify(await story())).toBe(first)
})

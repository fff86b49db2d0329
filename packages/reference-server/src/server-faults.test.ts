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

test('a page that names its origin may ask, send and read', async () => {
  const { send } = setUp()
  const headers = {
    origin: 'https://app.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  const asked = await send(`${B}/projects`, { method: 'OPTIONS', key: null, headers })
  expect(asked.status).toBe(204)
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': 'https://app.test',
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': 'authorization',
  })
  const refused = await send(`${B}/nothing`, { headers: { origin: 'https://app.test' } })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, 'https://app.test'])
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

test('a window that a latency has shortened says what is left of it, and Date is the time of the answer', async () => {
  let time = 0
  const clock = {
    now: () => time,
    after(ms: number, callback: () => void) {
      time += ms
      callback()
      return () => {}
    },
  }
  const { send } = setUp({
    clock,
    faults: [
      { kind: 'latency', ms: 5_000 },
      { kind: 'limited', ms: 10_000 },
    ],
  })
  const refused = await send(`${A}/health`)
  expect([refused.headers.get('retry-after'), refused.headers.get('date')]).toEqual([
    '5',
    new Date(5_000).toUTCString(),
  ])
})

test('a fault on no operation is refused', () => {
  expect(() => setUp({ faults: [{ on: 'projekts.list', kind: 'lost' }] })).toThrow(
    'there is no operation projekts.list',
  )
})

test('a request cannot ask for faults on others', async () => {
  const { send } = setUp({ faultHeader: true })
  for (const fault of ['projects.list: lost', 'lost; times=1', 'lost; skip=0']) {
    expect((await send(`${A}/health`, { headers: { 'svc-fault': fault } })).status).toBe(400)
  }
})

test('the journal names the key also where a fault, or no operation, answered', async () => {
  const { server, send } = setUp({ faults: [{ on: 'projects.list', kind: 'status', code: 503 }] })
  await send(`${B}/projects`)
  await send(`${B}/nothing`)
  expect(server.requests.map(({ key }) => key)).toEqual(['sk-service-api03-…', 'sk-service-api03-…'])
})

test('a browser is let ask what is then refused, so that its page sees the refusal', async () => {
  const { send } = setUp()
  const preflight = async (path: string) => {
    const headers = { origin: 'https://app.test', 'access-control-request-method': 'DELETE' }
    const { headers: answered } = await send(B + path, { method: 'OPTIONS', headers })
    return answered.get('access-control-allow-methods')
  }
  expect([await preflight('/projects'), await preflight('/nothing')]).toEqual([
    'GET, HEAD, POST, OPTIONS, DELETE',
    'OPTIONS, DELETE',
  ])
})

test('a reset takes back what was done to the submission of jobs', async () => {
  const { server, newProject } = setUp()
  server.world.submit = () => false
  server.reset()
  const project = server.world.project(newProject())
  expect(project && server.world.createTranscript(project, { name: 't', turns: [] }).record.processing_status).toBe(
    'queued',
  )
})

test('a submission that throws is one that failed: the transcript is stored, and the error told', async () => {
  const errors: unknown[] = []
  const submit = () => {
    throw new Error('queue down')
  }
  const { send, newProject } = setUp({ submit, onError: (error) => errors.push(error) })
  const stored = await send(`${B}/projects/${newProject()}/transcripts`, { body: upload })
  expect(stored).toMatchObject({ status: 201, body: { data: { processing_status: 'error' } } })
  expect(errors).toEqual([new Error('queue down')])
})

test('a reading that cannot be is refused', () => {
  expect(() => setUp({ readings: { unknownAnnotator: 500 as 404 } })).toThrow('unknownAnnotator must be 404 or 422')
  expect(() => setUp({ readings: { bodyBytes: -1 } })).toThrow('bodyBytes must be an integer from 0')
  expect(() => setUp({ readings: { polite: true } as object })).toThrow('there is no reading polite')
})

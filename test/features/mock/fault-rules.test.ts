import { type FaultCondition, referenceKey } from '@svc/reference-server/core'
import { expect, test } from 'vitest'
import { A, B, setUp, upload } from '../../../packages/reference-server/test/fixtures/server.js'

test('applies a requested fault only with the option faultHeader', async () => {
  const headers = { 'svc-fault': 'status; code=502' }
  expect(await setUp().status(`${A}/health`, { headers })).toBe(200)
  const { status, send } = setUp({ faultHeader: true })
  expect(await status(`${A}/health`, { headers })).toBe(502)
  expect(await status(`${A}/health`)).toBe(200)
  expect(await send(`${A}/health`, { headers: { 'svc-fault': 'boom' } })).toMatchObject({
    status: 400,
    body: { error: 'bad_request', detail: expect.stringContaining('svc-fault: Invalid fault "boom"') },
  })
})

test('restores the start on reset, ids included', async () => {
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

test('sends the rest of the window after a latency, and the time of the response as Date', async () => {
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

test('a request cannot ask for faults on others', async () => {
  const { send } = setUp({ faultHeader: true })
  for (const fault of ['projects.list: lost', 'lost; times=1', 'lost; skip=0']) {
    expect((await send(`${A}/health`, { headers: { 'svc-fault': fault } })).status).toBe(400)
  }
})

test('records the key of a request that a fault or no operation answers', async () => {
  const { server, send } = setUp({ faults: [{ on: 'projects.list', kind: 'status', code: 503 }] })
  await send(`${B}/projects`)
  await send(`${B}/nothing`)
  expect(server.requests.map(({ key }) => key)).toEqual(['sk-service-api03-…', 'sk-service-api03-…'])
})

test('allows a preflight of a refused request, so that the page sees the refusal', async () => {
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

test('restores submit on reset', async () => {
  const { server, newProject } = setUp()
  server.world.submit = () => false
  server.reset()
  const project = server.world.project(newProject())
  expect(project && server.world.createTranscript(project, { name: 't', turns: [] }).record.processing_status).toBe(
    'queued',
  )
})

test('stores a transcript whose submission throws, and reports the error', async () => {
  const errors: unknown[] = []
  const submit = () => {
    throw new Error('queue down')
  }
  const { send, newProject } = setUp({ submit, onError: (error) => errors.push(error) })
  const stored = await send(`${B}/projects/${newProject()}/transcripts`, { body: upload })
  expect(stored).toMatchObject({ status: 201, body: { data: { processing_status: 'error' } } })
  expect(errors).toEqual([new Error('queue down')])
})

test('names the faults of a request in the journal, and calls no fault a client that closed', async () => {
  const { server, status, newProject } = setUp()
  const path = `${B}/projects/${newProject()}/transcripts`
  const journalled = async (...faults: string[]) => {
    for (const fault of faults) server.faults.add(`transcripts.upload: ${fault}; times=1`)
    await status(path, { body: upload }).catch(() => {})
    const { status: shown, faults: named } = server.requests.at(-1) ?? {}
    return [shown, named]
  }
  expect(await journalled('reset-before')).toEqual([0, ['reset-before']])
  expect(await journalled('reset-after')).toEqual([201, ['reset-after']])
  expect(await journalled('lost')).toEqual([201, ['lost']])
  expect(await journalled('latency; ms=0', 'status; code=503')).toEqual([503, ['latency', 'status']])
  expect(await journalled('wrong-type')).toEqual([201, ['wrong-type']])
  expect(await journalled('submit-error')).toEqual([201, ['submit-error']])
  expect(await journalled()).toEqual([201, []])
})

test('takes rules as objects and as text, in the options and later', async () => {
  const { server, status } = setUp({ faults: ['health: status; code=502; times=1', { kind: 'status', code: 503 }] })
  expect([await status(`${A}/health`), await status(`${A}/health`)]).toEqual([502, 503])
  server.faults.clear()
  server.faults.add('projects.list: status; code=504')
  expect(server.faults.rules).toEqual([{ on: 'projects.list', kind: 'status', code: 504 }])
  expect([await status(`${A}/health`), await status(`${B}/projects`)]).toEqual([200, 504])
  expect(() => server.faults.add('boom')).toThrow('Invalid fault "boom": expected one of the kinds')
  expect(() => setUp({ faults: ['boom'] })).toThrow('/faults/0: Invalid fault "boom": expected one of the kinds')
})

test('blocks bodies over a size with the page of a gateway, and counts no others', async () => {
  const { server, send, newProject } = setUp({ faults: ['transcripts.upload: waf; over=200; times=1'] })
  const path = `${B}/projects/${newProject()}/transcripts`
  const large = { ...upload, name: 'x'.repeat(200) }
  const statuses = []
  for (const body of [upload, large, large]) {
    const { fetch } = server
    const headers = { authorization: 'Bearer sk-service-api03-reference', 'content-type': 'application/json' }
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    statuses.push([response.status, response.headers.get('content-type'), (await response.text()).slice(0, 15)])
  }
  const stored = [201, 'application/json', '{"data":{"id":"']
  expect(statuses).toEqual([stored, [403, 'text/html; charset=utf-8', '<!doctype html>'], stored])
  expect((await send(path)).body.pagination).toMatchObject({ total: 2 })
  expect(server.requests.map(({ faults }) => faults)).toEqual([[], ['waf'], [], []])
})

test('closes the connection of a body over a size, and blocks every request without a size', async () => {
  const { server, status, newProject } = setUp({ faults: ['too-large-close; over=200'], faultHeader: true })
  const path = `${B}/projects/${newProject()}/transcripts`
  const large = { ...upload, name: 'x'.repeat(200) }
  await expect(status(path, { body: large })).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } })
  expect(await status(path, { body: upload })).toBe(201)
  expect(server.requests.map(({ status }) => status)).toEqual([0, 201])
  await expect(status(`${A}/health`, { headers: { 'svc-fault': 'too-large-close' } })).rejects.toThrow('fetch failed')
  expect(await status(path, { body: upload, headers: { 'svc-fault': 'status; code=502' } })).toBe(502)
  await expect(status(path, { body: upload, headers: { 'svc-fault': 'too-large-close; over=20' } })).rejects.toThrow()
  expect(await status(path, { body: upload, headers: { 'svc-fault': 'too-large-close; over=200' } })).toBe(201)
})

test.each([
  ['', { 'retry-after': '2', 'retry-after-ms': null }],
  ['; form=seconds', { 'retry-after': '2', 'retry-after-ms': null }],
  ['; form=none', { 'retry-after': null, 'retry-after-ms': null }],
  ['; form=date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT', 'retry-after-ms': null }],
  ['; form=ms', { 'retry-after': null, 'retry-after-ms': '1500' }],
])('a window of 429 says its end as it is asked to: limited; ms=1500%s', async (form, expected) => {
  const { send } = setUp({ faults: [`limited; ms=1500${form}`] })
  const { status, headers } = await send(`${A}/health`, { headers: { origin: 'https://app.test' } })
  expect(status).toBe(429)
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))).toEqual(expected)
})

test('a script answers the requests that match with its status, headers and body, a number of times', async () => {
  const { server, send, newProject } = setUp()
  const path = `${B}/projects/${newProject()}/transcripts`
  server.faults.add({
    on: 'transcripts.upload',
    kind: 'status',
    code: 409,
    headers: { 'X-Reason': 'twice' },
    body: { error: { message: 'There is one.', type: 'conflict', code: 409 } },
    when: { body: { turns: [{ role: 'user' }] }, contains: 'order 7' },
    times: 1,
  })
  expect((await send(path, { body: { ...upload, turns: [{ role: 'user', content: 'Hi' }] } })).status).toBe(201)
  expect((await send(path, { body: { ...upload, turns: [...upload.turns, ...upload.turns] } })).status).toBe(201)
  const scripted = await send(path, { body: upload })
  expect([scripted.status, scripted.body]).toEqual([
    409,
    { error: { message: 'There is one.', type: 'conflict', code: 409 } },
  ])
  expect([scripted.headers.get('x-reason'), scripted.headers.get('content-type')]).toEqual([
    'twice',
    'application/json',
  ])
  expect((await send(path, { body: upload })).status).toBe(201)
  // The journal and the check see what was sent.
  expect(server.requests.find(({ status }) => status === 409)).toMatchObject({
    body: upload,
    ran: false,
    faults: ['status'],
  })
  expect(server.violations()).toEqual([])
})

const matching: [part: string, when: FaultCondition, fitting: [string, object?], other: [string, object?]][] = [
  ['path', { path: '/transcripts/tr_1' }, ['/transcripts/tr_1?x=1'], ['/transcripts/tr_2']],
  ['query', { query: { page: '2' } }, ['/projects?page=2&limit=5'], ['/projects?page=1']],
  ['headers', { headers: { 'x-try': '2' } }, ['/projects', { 'x-try': '2' }], ['/projects']],
  ['key', { keyName: 'CI' }, ['/projects', { authorization: 'Bearer ci-key' }], ['/projects']],
]

test.each(matching)('a rule is for requests by their %s, and counts no others', async (_, when, fitting, other) => {
  const { server } = setUp({ faults: [{ kind: 'status', code: 418, body: 'teapot', when }] })
  server.world.createKey({ key: 'ci-key', name: 'CI' })
  const answers = []
  for (const [path, headers] of [fitting, other, fitting]) {
    const response = await server.fetch(B + path, { headers: { authorization: `Bearer ${referenceKey}`, ...headers } })
    answers.push(response.status === 418 ? await response.text() : 'passed')
  }
  expect(answers).toEqual(['teapot', 'passed', 'teapot'])
  expect(server.faults.states(0)).toMatchObject([{ count: 2 }])
})

test('a script may answer a success without a body, and a wrong body of a scripted request is a violation', async () => {
  const { server, send } = setUp({ faults: [{ on: 'projects.create', kind: 'status', code: 204 }] })
  expect(await send(`${B}/projects`, { body: { nom: 'P' } })).toMatchObject({ status: 204, body: null })
  expect(server.violations().map(({ name }) => name)).toEqual(['/name', '/nom'])
  await send(`${B}/projects`, { body: '{' })
  expect(server.requests.at(-1)).toMatchObject({ body: '{', isUnchecked: true })
})

test('a script that looks into bodies takes one that is nested too deep for a text', async () => {
  const { server, send } = setUp({ faults: [{ kind: 'status', code: 503, when: { contains: 'deep' } }] })
  const body = `${'['.repeat(20_000)}"deep"${']'.repeat(20_000)}`
  expect((await send(`${B}/projects`, { body })).status).toBe(503)
  expect(server.requests).toMatchObject([{ body, isUnchecked: true }])
})

test('a script survives a snapshot, with what it has counted', async () => {
  const rule = { kind: 'status', code: 503, body: { busy: true }, when: { contains: 'order' }, times: 2 } as const
  const { server, newProject, send } = setUp({ faults: [rule] })
  const path = `${B}/projects/${newProject()}/transcripts`
  await send(path, { body: upload })
  const other = setUp({ seed: JSON.parse(JSON.stringify(server.snapshot({ keys: true }))) })
  const statuses = []
  for (let at = 0; at < 2; at += 1) statuses.push((await other.send(path, { body: upload })).status)
  expect(statuses).toEqual([503, 201])
})

test('a request may ask for an answer of its own', async () => {
  const { send } = setUp({ faultHeader: true })
  const headers = { 'svc-fault': '{"kind":"status","code":207,"body":{"mine":true}}' }
  expect(await send(`${A}/health`, { headers })).toMatchObject({ status: 207, body: { mine: true } })
})

import { expect, test } from 'vitest'
import { A, annotation, B, refusedB, setUp } from '../test/fixtures/server.js'
import { referenceKey } from './core.js'

test.each([
  ['http://svc.test/health', 200],
  ['http://svc.test/public/api/v1/projects?page=2#x', 200],
  ['http://svc.test/public/api/v1x/projects', 404],
  ['http://svc.test/evil/public/api/v1/projects', 404],
])('%s stands under a base of the server, and is answered %d', async (url, status) => {
  const { server, send } = setUp({ baseUrl: 'http://svc.test/' })
  expect([server.owns(url), (await send(url)).status]).toEqual([true, status])
})

test.each(['http://other.test/health', 'http://svc.test.evil/health', 'https://svc.test/health'])(
  '%s stands under no base of the server',
  (url) => expect(setUp({ baseUrl: 'http://svc.test/' }).server.owns(url)).toBe(false),
)

test('serves two hosts in process, and both surfaces on one origin over HTTP', async () => {
  const { server, status } = setUp({ baseUrl: 'http://a.test', publicBaseUrl: 'http://b.test' })
  expect([await status('http://a.test/health'), await status('http://b.test/projects')]).toEqual([200, 200])
  const { baseUrl, publicBaseUrl, close } = await server.listen()
  await close()
  expect(publicBaseUrl).toBe(`${baseUrl}/public/api/v1`)
})

test('refuses an unknown path in the error envelope of its surface', async () => {
  const { send } = setUp()
  expect(await send(`${B}/nope`, { key: null })).toMatchObject(refusedB(404, 'not_found_error'))
  expect(await send(B, { key: null })).toMatchObject(refusedB(404, 'not_found_error'))
  const ofA = { status: 404, body: { error: 'not_found', detail: expect.any(String) } }
  expect(await send(`${A}/projects`, { key: null })).toMatchObject(ofA)
  expect(await send(`${A}/public/api/v1x`, { key: null })).toMatchObject(ofA)
  expect(await send('http://other.test/health')).toMatchObject(ofA)
})

test('records operation, status and time of a request, and no key', async () => {
  const { send, server, clock } = setUp({ journalSize: 2 })
  const { key } = server.world.createKey()
  await send(`${A}/health`, { key: null })
  await send(`${B}/projects?limit=0`, { key })
  await send(`${B}/nope`, { key: null })
  const headers = { 'content-type': 'application/json', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
  expect(server.requests).toEqual([
    {
      id: 2,
      edge: 'fetch',
      method: 'GET',
      surface: 'workspace',
      path: '/projects?limit=0',
      query: { limit: '0' },
      headers: { authorization: `Bearer sk-service-api03-…${key.slice(-4)}` },
      operation: 'projects.list',
      status: 400,
      faults: [],
      ran: true,
      delivery: 'whole',
      key: `sk-service-api03-…${key.slice(-4)}`,
      workspace: 'reference',
      problems: [{ in: 'query', name: '', problem: 'limit: expected an integer from 1 to 100' }],
      at: clock.time,
      durationMs: 0,
      answer: { headers, body: expect.stringContaining('limit: expected an integer') },
    },
    {
      id: 3,
      edge: 'fetch',
      method: 'GET',
      surface: 'workspace',
      path: '/nope',
      query: {},
      headers: {},
      operation: null,
      status: 404,
      faults: [],
      ran: false,
      delivery: 'whole',
      key: null,
      workspace: null,
      problems: [{ in: 'path', name: '', problem: 'no such path' }],
      at: clock.time,
      durationMs: 0,
      answer: { headers, body: expect.stringContaining('no such path') },
    },
  ])
})

test('an aborted request rejects with the reason, before or during the work', async () => {
  const info = { id: 'slow', annotator_version: '1', taxonomy_version: '1', description: 'd' }
  const controller = new AbortController()
  const annotate = () => {
    controller.abort(new Error('enough'))
    return new Promise<never>(() => {})
  }
  const { server } = setUp({ annotators: [{ ...info, annotate }] })
  const create = () =>
    server.fetch(
      new Request(`${A}/v1/annotations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...annotation, annotator: 'slow' }),
        signal: controller.signal,
      }),
    )
  await expect(create()).rejects.toThrow('enough')
  await expect(create()).rejects.toThrow('enough')
})

test('two servers of the same seed make the same ids and share nothing', async () => {
  const [one, two] = [setUp(), setUp()]
  const first = await one.send(`${B}/projects`, { body: { name: 'n' } })
  expect((await two.send(`${B}/projects`)).body.data).toEqual([])
  expect((await two.send(`${B}/projects`, { body: { name: 'n' } })).body).toEqual(first.body)
})

test('rejects the same invalid requests as the global fetch', async () => {
  const { server } = setUp()
  const request = new Request(`${A}/v1/annotations`, { method: 'POST', body: '{}' })
  await request.text()
  await expect(server.fetch(request)).rejects.toThrow('has been used already')
  expect((await server.fetch(`${A}/health`)).status).toBe(200)
  expect((await server.fetch(new URL(`${A}/health`), { method: 'POST' })).status).toBe(405)
})

test('redacts keys in a path or a query in the journal', async () => {
  const key = 'annotate/me+with=this'
  const { send, server } = setUp({ seed: { keys: [{ key }] } })
  const other = 'sk-legacy-api03-q7Zk2Lw9Xb4R'
  await send(`${B}/projects/${other}?q=${encodeURIComponent(key)}&of=${key}&x=a`, { key })
  expect(server.requests.map(({ path }) => path)).toEqual(['/projects/sk-legacy-api03-…Xb4R?q=…this&of=…this&x=a'])
})

test('reports all violations of a body at once, as pointers, without quoting the body', async () => {
  const { send, newProject } = setUp()
  const body = {
    name: '',
    turns: [{ role: 'robot', content: 7 }, { content: 'x', createdAt: 'soon', toolCalls: [{ name: 'f' }] }, null],
    modelName: 'm'.repeat(101),
    metadata: [],
    process: 'no',
  }
  const message = [
    '/name: expected 1 to 500 characters',
    '/turns/0/role: expected one of user, assistant, system, tool, human_agent',
    '/turns/0/content: expected a string',
    '/turns/1/role: required',
    '/turns/1/toolCalls/0/args: required',
    '/turns/1/createdAt: expected an ISO 8601 date or date-time',
    '/turns/2: expected an object',
    '/modelName: expected at most 100 characters',
    '/metadata: expected an object',
    '/process: expected true or false',
  ].join('; ')
  const path = `${B}/projects/${newProject()}/transcripts`
  expect((await send(path, { body })).body).toMatchObject({ error: { message } })
  expect((await send(path, { body: '[]' })).body).toMatchObject({ error: { message: 'body: expected an object' } })
  const many = { annotator: 'a', transcript: Array.from({ length: 1000 }, () => 1) }
  const { detail } = (await send(`${A}/v1/annotations`, { body: many })).body
  expect(detail).toMatch(
    /^\/transcript\/0: expected an object; .*\/transcript\/49: expected an object; and perhaps more$/,
  )
})

test('refuses a body that is nested more than 500 deep', async () => {
  const { send } = setUp()
  const nested = (depth: number) => send(`${B}/projects`, { body: '['.repeat(depth) + ']'.repeat(depth) })
  expect((await nested(500)).body).toMatchObject({ error: { message: 'body: expected an object' } })
  for (const depth of [501, 1_000_000])
    expect((await nested(depth)).body).toMatchObject({ error: { message: 'The body is nested more than 500 deep.' } })
})

test('counts no brackets in strings, and refuses a million of them that are not closed', async () => {
  const { send } = setUp()
  const unclosed = await send(`${B}/projects`, { body: '['.repeat(1_000_000) })
  expect(unclosed.body).toMatchObject({ error: { message: 'The body is not valid JSON.' } })
  const name = `"\\${'[{'.repeat(200)}`
  expect((await send(`${B}/projects`, { body: { name, deep: Array(600).fill([]) } })).status).toBe(201)
})

test('lists are newest first, also within a millisecond and after the clock was set back', () => {
  const { server, clock, newProject } = setUp()
  const id = newProject()
  const project = server.world.project(id)
  const add = () => project && server.world.createTranscript(project, { name: 't', turns: [] }).record.id
  const [first, second] = [add(), add()]
  clock.time -= 5000
  const older = add()
  clock.time += 9000
  const newest = add()
  expect(server.world.transcripts(id).map(({ record }) => record.id)).toEqual([newest, second, first, older])
})

test('a clock that is set back begins a new window of the rate limit', async () => {
  const { clock, status } = setUp({ limits: { requests: 1, windowMs: 10_000 } })
  expect([await status(`${B}/projects`), await status(`${B}/projects`)]).toEqual([200, 429])
  clock.time -= 1
  expect(await status(`${B}/projects`)).toBe(200)
})

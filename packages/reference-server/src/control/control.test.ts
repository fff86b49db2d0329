import { expect, test } from 'vitest'
import { dial } from '../../test/fixtures/edge.js'
import { A, annotation, B, type Json, setUp, upload } from '../../test/fixtures/server.js'
import { parseFault, steeredClock } from '../core.js'

const token = 't0ken'

function steered(options: Parameters<typeof setUp>[0] = {}) {
  const made = setUp({ control: { token }, clock: steeredClock({ now: () => 0, after: () => () => {} }), ...options })
  const control = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    made.send(`${A}/_svc/${path}`, { method, key: token, headers, ...(body !== undefined && { body }) })
  return { ...made, control }
}

test('serves no control plane by default', async () => {
  expect(await setUp().status(`${A}/_svc/requests`)).toBe(404)
})

test('requires the control token, and refuses keys of the service', async () => {
  const { status, send } = steered()
  expect(await status(`${A}/_svc/requests`)).toBe(401)
  expect(await send(`${A}/_svc/requests`, { key: null })).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  })
  expect(await status(`${A}/_svc/requests`, { key: token })).toBe(200)
})

test.each([
  [{ host: 'svc.example.com' }, 403],
  [{ host: '127.0.0.1.example.com:4010' }, 403],
  [{ host: '127.0.0.256' }, 403],
  [{ host: '127.255.10.9:4010' }, 200],
  [{ host: 'localhost:4010' }, 200],
  [{ host: 'mock.internal:4010' }, 200],
  [{ host: '127.0.0.1:4010', origin: 'https://evil.test' }, 403],
  [{ host: '127.0.0.1:4010', origin: 'http://127.0.0.1:4011' }, 403],
  [{ host: '127.0.0.1:4010', origin: 'null' }, 403],
  [{ host: '127.0.0.1:4010', origin: 'http://127.0.0.1:4010' }, 200],
])('a call over HTTP with %j is answered %i', async (headers, expected) => {
  const { server } = steered({ allowedHosts: ['mock.internal'] })
  const { port, close } = await server.listen()
  const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { ended } = dial(
    port,
    `GET /_svc/requests HTTP/1.1\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n${text.join('')}\r\n`,
  )
  const answer = (await ended).text
  await close()
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected} `))
  expect(answer).not.toMatch(/access-control-allow-origin/i)
})

test.each([
  ['GET', 'world', token],
  ['DELETE', 'requests', token],
  ['GET', 'nothing', token],
  ['GET', 'world', 'other'],
])('its answer to %s %s with the token %s bears the time of the server', async (method, path, key) => {
  const { send } = steered()
  const { headers } = await send(`${A}/_svc/${path}`, { method, key })
  expect(headers.get('date')).toBe(new Date(0).toUTCString())
})

test('refuses a preflight to the control plane', async () => {
  const { control } = steered()
  const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
  expect((await control('OPTIONS', 'reset', undefined, headers)).status).toBe(403)
})

test('the page of the requests holds nothing of them, and asks nothing but its server', async () => {
  const { server, send } = steered()
  await send(`${B}/projects`, { body: { name: 'Secret project' } })
  const response = await server.fetch(`${A}/_svc/`)
  const [text, policy] = [await response.text(), response.headers.get('content-security-policy')]
  expect([response.status, text.includes('Secret'), text.includes(token)]).toEqual([200, false, false])
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-\w{32}'.*connect-src 'self'.*frame-ancestors 'none'$/)
  expect(await server.fetch(`${A}/_svc/`, { headers: { origin: 'https://evil.example' } })).toMatchObject({
    status: 403,
  })
  expect((await server.fetch(`${A}/_svc`)).headers.get('location')).toBe('_svc/')
  for (const path of ['/_svc', '/_svc/']) {
    const off = await setUp().server.fetch(A + path)
    expect([off.status, (await off.json()).detail]).toEqual([404, expect.stringContaining('--control')])
  }
})

test('lists the requests after one, and says how many there are and which is the first', async () => {
  const { control, send } = steered({ journalSize: 3 })
  for (let at = 0; at < 4; at += 1) await send(`${A}/health`)
  const { headers, body } = await control('GET', 'requests?after=3')
  expect(body).toMatchObject([{ id: 4 }])
  expect(['svc-dropped', 'svc-total', 'svc-first'].map((name) => headers.get(name))).toEqual(['1', '3', '2'])
  expect((await control('GET', 'requests?after=4')).body).toEqual([])
  expect(await control('GET', 'requests?after=x')).toMatchObject({ status: 400 })
})

test('returns and clears the journal, without requests to the control plane', async () => {
  const { control, send } = steered()
  await send(`${B}/projects`)
  expect((await control('GET', 'requests')).body).toMatchObject([
    { operation: 'projects.list', key: 'sk-service-api03-…' },
  ])
  expect((await control('DELETE', 'requests')).status).toBe(204)
  expect((await control('GET', 'requests')).body).toEqual([])
})

test('clear() forgets the requests of an operation, and those before a time, and keeps the count of dropped ones', async () => {
  const { clock, server, send } = setUp({ journalSize: 3 })
  const operations = () => server.requests.map(({ operation }) => operation)
  for (const path of [`${A}/health`, `${B}/projects`, `${A}/health`, `${A}/health`]) {
    await send(path)
    clock.time += 1
  }
  server.requests.clear({ operation: 'health', until: server.requests[2]?.at })
  expect([operations(), server.requests.dropped]).toEqual([['projects.list', 'health'], 1])
  server.requests.clear({ operation: 'projects.list' })
  expect(operations()).toEqual(['health'])
  for (let sent = 0; sent < 3; sent += 1) await send(`${A}/health`)
  expect([server.requests.length, server.requests.dropped]).toEqual([3, 2])
  server.requests.clear()
  expect([server.requests.length, server.requests.dropped]).toEqual([0, 0])
})

test('reads, moves and stops the clock of the server', async () => {
  const { control, send } = steered({ limits: { requests: 1, windowMs: 10_000 } })
  expect((await control('GET', 'world')).body.clock).toEqual({ now: '1970-01-01T00:00:00.000Z', running: true })
  const annotate = () => send(`${A}/v1/annotations`, { body: annotation })
  await annotate()
  expect((await annotate()).headers.get('retry-after')).toBe('10')
  expect((await control('POST', 'clock', { advanceMs: 10_000, running: false })).body).toMatchObject({ running: false })
  expect((await annotate()).status).toBe(200)
  expect((await control('POST', 'clock', { to: '2026-01-01T00:00:00Z' })).body).toMatchObject({
    now: '2026-01-01T00:00:00.000Z',
  })
  for (const body of [
    { advanceMs: -1 },
    { advanceMs: 'x' },
    { jumpWallMs: 0.5 },
    { jumpWallMs: -9e15 },
    { to: 'soon' },
    { to: '1999-01-01' },
    { forward: 1 },
    3,
  ]) {
    expect((await control('POST', 'clock', body)).status).toBe(400)
  }
})

test('responds with 409 if the clock cannot be steered', async () => {
  const { control } = steered({ clock: { now: () => 0 } })
  expect(await control('POST', 'clock', { advanceMs: 1 })).toMatchObject({ status: 409 })
})

test('adds faults as text or object, and removes them', async () => {
  const { control, status } = steered()
  await control('POST', 'faults', { fault: 'health: status; code=502; times=1' })
  await control('POST', 'faults', { kind: 'status', code: 503 })
  expect((await control('GET', 'world')).body.faults).toHaveLength(2)
  expect([await status(`${A}/health`), await status(`${A}/health`)]).toEqual([502, 503])
  await control('DELETE', 'faults')
  expect(await status(`${A}/health`)).toBe(200)
  expect(await control('POST', 'faults', { kind: 'boom' })).toMatchObject({ status: 400 })
})

test('keys and projects are made, revoked, restored and deleted', async () => {
  const { control, status } = steered()
  await control('POST', 'keys', { key: 'k', permissions: ['projects-read'] })
  const read = () => status(`${B}/projects`, { key: 'k' })
  const seen = [await read()]
  for (const act of ['revoke', 'restore', 'delete']) {
    expect((await control('POST', `keys/${act}`, { key: 'k' })).status).toBe(204)
    seen.push(await read())
  }
  expect(seen).toEqual([200, 401, 200, 401])
  expect(await control('POST', 'keys/revoke', { key: 'none' })).toMatchObject({ status: 400 })
  const made = await control('POST', 'projects', { name: 'P', transcripts: [upload] })
  expect(made.body).toMatchObject({ name: 'P', transcript_count: 1 })
  expect(await control('POST', 'projects', { name: 'P', transcript: [] })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('/transcript: no such field') },
  })
})

test('resets the server, and lists the known commands for an unknown one', async () => {
  const { control, server } = steered()
  server.world.createProject({ name: 'p' })
  expect((await control('POST', 'reset')).status).toBe(204)
  expect(server.world.projects()).toEqual([])
  expect(await control('GET', 'nothing')).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('POST reset') },
  })
})

test('creates nothing of a project with a duplicate id', async () => {
  const { control, server } = steered()
  const transcripts = [
    { ...upload, id: 'tr_1' },
    { ...upload, id: 'tr_1' },
  ]
  expect(await control('POST', 'projects', { name: 'P', transcripts })).toMatchObject({
    status: 400,
    body: { detail: 'The id tr_1 exists already.' },
  })
  expect(server.world.projects()).toEqual([])
})

test('a key that no header can carry is refused', async () => {
  const { control } = steered()
  for (const key of ['', ' ', 'ключ', 'a\nb']) expect((await control('POST', 'keys', { key })).status).toBe(400)
})

test('reports an internal error to onError, and not to the client', async () => {
  const errors: unknown[] = []
  const store = {
    load: () => [],
    write() {
      throw new TypeError('disk')
    },
    replace() {},
    close() {},
  }
  const { control } = steered({ store, onError: (error) => errors.push(error) })
  expect(await control('POST', 'keys', { key: 'k' })).toMatchObject({
    status: 500,
    body: { detail: 'The server failed.' },
  })
  expect(errors).toEqual([new TypeError('disk')])
})

test('sets processing_status error while submit-error is on', async () => {
  const { control, send, newProject } = steered()
  const id = newProject()
  const uploaded = async (more = {}) =>
    ((await send(`${B}/projects/${id}/transcripts`, { body: { ...upload, ...more } })).body.data as Json)
      .processing_status
  expect((await control('POST', 'submit-error', { on: true })).status).toBe(204)
  expect([await uploaded(), await uploaded({ process: false })]).toEqual(['error', 'skipped'])
  expect((await control('POST', 'submit-error', { on: false })).status).toBe(204)
  expect(await uploaded()).toBe('queued')
  await control('POST', 'submit-error', { on: true })
  await control('POST', 'reset')
  expect((await control('POST', 'submit-error', { of: true })).status).toBe(400)
})

test('applies submit-error to uploads only', async () => {
  const { send, newProject } = setUp({ faults: [{ kind: 'submit-error', times: 1 }] })
  const id = newProject()
  await send(`${B}/projects`)
  const uploaded = async () =>
    ((await send(`${B}/projects/${id}/transcripts`, { body: upload })).body.data as Json).processing_status
  expect([await uploaded(), await uploaded()]).toEqual(['error', 'queued'])
  expect(() => parseFault('projects.list: submit-error')).toThrow('submit-error applies to transcripts.upload')
})

test('sets and removes limits, which end the windows, until a reset', async () => {
  const { control, status } = steered({ limits: { requests: 1, windowMs: 60_000 } })
  const list = () => status(`${B}/projects`)
  expect([await list(), await list()]).toEqual([200, 429])
  expect((await control('POST', 'limits', { requests: 2, windowMs: 60_000 })).status).toBe(204)
  expect([await list(), await list(), await list()]).toEqual([200, 200, 429])
  await control('DELETE', 'limits')
  expect([await list(), await list(), await list()]).toEqual([200, 200, 200])
  await control('POST', 'reset')
  expect([await list(), await list()]).toEqual([200, 429])
  const wrong = await control('POST', 'limits', { requests: -1, window: 1 })
  expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringMatching(/\/requests: .*\/windowMs: required/)])
})

test('adds an annotator with one answer, replaces one, and forgets both on a reset', async () => {
  const { control, send } = steered()
  const outcome = async (annotator: string) =>
    (await send(`${A}/v1/annotations`, { body: { ...annotation, annotator } })).body
  const signals = { rude: { evidence: 'Hi', turn: 1 } }
  await control('POST', 'annotators', { id: 'mine', outcome: 'poor', signals, outcome_notes: 'n' })
  expect(await outcome('mine')).toMatchObject({ outcome: 'poor', outcome_notes: 'n', signals, annotator: 'mine' })
  await control('POST', 'annotators', { id: 'structural', outcome: 'strong', annotator_version: '9' })
  expect(await outcome('structural')).toMatchObject({ outcome: 'strong', annotator_version: '9', signals: {} })
  const ids = async () => ((await send(`${A}/v1/annotators`)).body.annotators as Json[]).map(({ id }) => id)
  expect(await ids()).toEqual(['structural', 'patterns', 'mine'])
  await control('POST', 'reset')
  expect(await ids()).toEqual(['structural', 'patterns'])
  expect(await outcome('structural')).toMatchObject({ outcome: 'critical' })
  expect(await control('POST', 'annotators', { id: 'mine', outcome: 'great' })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('/outcome: expected one of strong, mixed') },
  })
})

test('annotates a stored transcript, and creates a project in any workspace', async () => {
  const { control, send } = steered({ seed: { workspaces: ['one', 'two'] } })
  const made = await control('POST', 'projects', { name: 'P', workspace: 'two', extra: { mood: 'calm' } })
  expect(made.body).toMatchObject({ workspace: 'two', domain: 'general', extra: { mood: 'calm' } })
  const { id } = (await send(`${B}/projects`, { body: { name: 'Q' } })).body.data as Json
  const path = `${B}/projects/${id}/transcripts`
  const transcript = ((await send(path, { body: { ...upload, process: false } })).body.data as Json).id
  expect((await control('POST', 'annotate', { transcript, annotations: { mood: 'cross' } })).status).toBe(204)
  expect((await send(`${path}?annotation=mood:cross`)).body.pagination).toMatchObject({ total: 1 })
  expect(await control('POST', 'annotate', { transcript: 'tr_none', annotations: {} })).toMatchObject({ status: 400 })
})

test('shows every body in the journal with its size, the text of one that is no JSON, and the answer', async () => {
  const { control, send } = steered()
  const bodies = [{ name: 'P' }, { name: '' }, { name: 'x'.repeat(70_000) }, '{']
  for (const body of bodies) await send(`${B}/projects`, { body })
  await send(`${B}/projects`)
  const entries = (await control('GET', 'requests')).body as unknown as {
    body: Json
    bodyBytes: number
    answer: Json
  }[]
  expect(entries.map(({ body }) => body)).toEqual([...bodies, undefined])
  expect(entries.map(({ bodyBytes }) => bodyBytes)).toEqual([12, 11, 70_011, 1, undefined])
  expect(entries.at(-1)?.answer).toMatchObject({
    headers: { 'content-type': 'application/json' },
    body: expect.stringMatching(/^{"data":\[{.*"name":"P"/),
  })
})

import { expect, test } from 'vitest'
import { referenceKey } from './core.js'
import { A, annotation, B, refusedB, setUp, upload } from './server-fixture.js'

test('what is written is read back, in counts, lists and single reads', async () => {
  const { send } = setUp()
  const created = await send(`${B}/projects`, { body: { name: 'Support' } })
  expect(created).toMatchObject({
    status: 201,
    body: { data: { name: 'Support', transcript_count: 0 }, processing_time_ms: 0 },
  })
  const { id } = created.body.data as { id: string }
  const turns = [
    { role: 'assistant', content: 'x', toolCalls: [{ name: 'f', args: { a: 1 } }], metadata: { m: 1 }, other: 2 },
  ]
  const stored = await send(`${B}/projects/${id}/transcripts`, {
    body: { ...upload, turns, metadata: { k: 'v' }, process: false },
  })
  expect(stored).toMatchObject({ status: 201, body: { data: { processing_status: 'skipped', metadata: { k: 'v' } } } })
  const record = stored.body.data as { id: string }
  expect((await send(`${B}/transcripts/${record.id}`)).body.data).toEqual({ ...record, turns, annotations: {} })
  expect((await send(`${B}/projects/${id}/transcripts`)).body).toEqual({
    data: [record],
    pagination: { page: 1, limit: 20, total: 1 },
    processing_time_ms: 0,
  })
  expect((await send(`${B}/projects`)).body.data).toEqual([expect.objectContaining({ id, transcript_count: 1 })])
  expect((await send(`${B}/projects/${id}`)).body.data).toMatchObject({ id, transcript_count: 1 })
})

test('the extra fields of a seeded project are in the single read only', async () => {
  const id = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
  const { send } = setUp({ seed: { projects: [{ id, name: 'p', extra: { executive_summary: { text: 's' } } }] } })
  expect((await send(`${B}/projects/${id}`)).body.data).toMatchObject({ id, executive_summary: { text: 's' } })
  expect((await send(`${B}/projects`)).body.data).not.toEqual([
    expect.objectContaining({ executive_summary: expect.anything() }),
  ])
})

test('lists are filtered before they are counted and cut into pages', async () => {
  const { send, newProject } = setUp()
  const list = `${B}/projects/${newProject()}/transcripts`
  for (const language of ['de', 'en', 'de', 'de']) await send(list, { body: { ...upload, language } })
  const { body } = await send(`${list}?language=de&limit=2&page=2&q=order`)
  expect(body).toMatchObject({ data: [{ language: 'de' }], pagination: { page: 2, limit: 2, total: 3 } })
})

test('unknown paths are refused in the envelope of the base they stand under', async () => {
  const { send } = setUp()
  expect(await send(`${B}/nope`, { key: null })).toMatchObject(refusedB(404, 'not_found_error'))
  expect(await send(B, { key: null })).toMatchObject(refusedB(404, 'not_found_error'))
  const ofA = { status: 404, body: { error: 'not_found', detail: expect.any(String) } }
  expect(await send(`${A}/projects`, { key: null })).toMatchObject(ofA)
  expect(await send(`${A}/public/api/v1x`, { key: null })).toMatchObject(ofA)
  expect(await send('http://other.test/health')).toMatchObject(ofA)
})

test('a wrong method is 405 with Allow, before the key is looked at', async () => {
  const { send } = setUp()
  const answer = await send(`${B}/projects`, { method: 'DELETE', key: null })
  expect(answer).toMatchObject(refusedB(405, 'invalid_request_error'))
  expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
})

test('OPTIONS answers 204 with Allow, and HEAD what GET answers but for the body', async () => {
  const { send } = setUp()
  const options = await send(`${A}/health`, { method: 'OPTIONS', key: null })
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const [head, get] = [await send(`${B}/projects`, { method: 'HEAD' }), await send(`${B}/projects`)]
  expect([head.status, head.body]).toEqual([200, null])
  expect([...head.headers]).toEqual([...get.headers])
})

test('the legacy routes act as the routes that they stand for', async () => {
  const { send, newProject } = setUp()
  expect(await send(`${B}/halfpipe/sessions`, { body: { name: 'n' } })).toMatchObject({
    status: 201,
    body: { data: { name: 'n' } },
  })
  for (const field of ['projectId', 'sessionId']) {
    const body = { ...upload, [field]: newProject() }
    expect(await send(`${B}/halfpipe/transcripts`, { body })).toMatchObject({
      status: 201,
      body: { data: { turn_count: 1 } },
    })
  }
  expect(await send(`${B}/halfpipe/transcripts`, { body: {} })).toMatchObject({
    status: 400,
    body: { error: { message: '/projectId: expected the form hp-<uuid>; /name: required; /turns: required' } },
  })
})

test('each reading turns one point the other way', async () => {
  const seed = {
    workspaces: ['reference', 'other'],
    keys: [
      { key: 'b', surfaces: ['workspace'] as const },
      { key: 'foreign', workspace: 'other' },
    ],
    projects: [{ name: 'p' }],
  }
  const readings = {
    annotatorsNeedKey: false,
    separateKeys: true,
    foreignList403: true,
    lenientPaging: true,
    legacy: false,
    unknownAnnotator: 422,
  } as const
  const { server, status } = setUp({ seed, readings })
  const id = server.world.projects()[0]?.record.id
  expect(await status(`${A}/v1/annotators`, { key: null })).toBe(200)
  expect(await status(`${A}/v1/annotations`, { key: 'b', body: annotation })).toBe(401)
  expect(await status(`${B}/projects?limit=1000`, { key: 'b' })).toBe(200)
  expect(await status(`${B}/projects/${id}/transcripts`, { key: 'foreign' })).toBe(403)
  expect(await status(`${B}/halfpipe/sessions`, { key: 'b', body: { name: 'n' } })).toBe(404)
  expect(await status(`${A}/v1/annotations`, { key: 'foreign', body: { ...annotation, annotator: 'nope' } })).toBe(422)
})

test('the journal names operation, status and time, and no key', async () => {
  const { send, server, clock } = setUp({ journalSize: 2 })
  const { key } = server.world.createKey()
  await send(`${A}/health`, { key: null })
  await send(`${B}/projects?limit=0`, { key })
  await send(`${B}/nope`, { key: null })
  expect(server.requests).toEqual([
    {
      method: 'GET',
      surface: 'workspace',
      path: '/projects?limit=0',
      operation: 'projects.list',
      status: 400,
      key: `sk-service-api03-…${key.slice(-4)}`,
      at: clock.time,
    },
    { method: 'GET', surface: 'workspace', path: '/nope', operation: null, status: 404, key: null, at: clock.time },
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

test('a key is known by its last use', async () => {
  const { server, send, clock } = setUp()
  expect(server.world.key(referenceKey)?.last_used_at).toBeNull()
  await send(`${B}/projects`)
  expect(server.world.key(referenceKey)?.last_used_at).toBe(clock.time)
})

test('what a fetch would not take, the Fetch of the server does not take either', async () => {
  const { server } = setUp()
  const request = new Request(`${A}/v1/annotations`, { method: 'POST', body: '{}' })
  await request.text()
  await expect(server.fetch(request)).rejects.toThrow('has been used already')
  expect((await server.fetch(`${A}/health`)).status).toBe(200)
  expect((await server.fetch(new URL(`${A}/health`), { method: 'POST' })).status).toBe(405)
})

test('the journal shows no key that stands in a path or a query', async () => {
  const key = 'annotate/me+with=this'
  const { send, server } = setUp({ seed: { keys: [{ key }] } })
  const other = 'sk-legacy-api03-q7Zk2Lw9Xb4R'
  await send(`${B}/projects/${other}?q=${encodeURIComponent(key)}&of=${key}&x=a`, { key })
  expect(server.requests.map(({ path }) => path)).toEqual(['/projects/sk-legacy-api03-…Xb4R?q=…this&of=…this&x=a'])
})

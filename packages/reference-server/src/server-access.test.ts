import { expect, test } from 'vitest'
import { referenceKey } from './core.js'
import { A, annotation, B, type Json, refusedB, setUp, upload } from './server-fixture.js'

test('health needs no key, everything else does', async () => {
  const { send, status } = setUp()
  expect(await send(`${A}/health`, { key: null })).toMatchObject({
    status: 200,
    body: { status: 'ok', substrate: 'lambda' },
  })
  expect(await status(`${A}/v1/annotators`, { key: null })).toBe(401)
  expect(await status(`${A}/v1/batches`, { key: null, body: '' })).toBe(401)
  expect(await send(`${B}/projects`, { key: null })).toMatchObject(refusedB(401, 'authentication_error'))
  expect(await status(`${B}/projects`, { key: 'eyJhbGciOi.JWT' })).toBe(401)
})

test('the life of a key: revoked is 403 or 401, restored works, deleted is 401', async () => {
  const { server, status } = setUp()
  const both = async () => [await status(`${A}/v1/annotators`), await status(`${B}/projects`)]
  expect(await both()).toEqual([200, 200])
  server.world.revoke(referenceKey)
  expect(await both()).toEqual([403, 401])
  server.world.restore(referenceKey)
  expect(await both()).toEqual([200, 200])
  server.world.delete(referenceKey)
  expect(await both()).toEqual([401, 401])
})

test('permissions are told apart, the older name of write among them', async () => {
  const { server, status, send } = setUp()
  const reader = server.world.createKey({ permissions: ['projects-read'] }).key
  const writer = server.world.createKey({ key: 'sk-legacy-api03-1', permissions: ['halfpipe-transcripts-write'] }).key
  expect(await send(`${B}/projects`, { key: reader, body: '{' })).toMatchObject(refusedB(403, 'authorization_error'))
  expect(await status(`${B}/projects`, { key: reader })).toBe(200)
  expect(await status(`${B}/projects`, { key: writer, body: { name: 'n' } })).toBe(201)
  expect(await status(`${B}/projects`, { key: writer })).toBe(403)
})

test('another workspace is unknown on reads and forbidden on upload', async () => {
  const { server, send, newProject } = setUp()
  const id = newProject()
  const { key } = server.world.createKey({ workspace: 'other' })
  const mine = await send(`${B}/projects/${id}/transcripts`, { body: upload })
  const foreign = await send(`${B}/transcripts/${(mine.body.data as Json).id}`, { key })
  expect(foreign).toMatchObject(refusedB(404, 'not_found_error'))
  expect(foreign.body).toEqual((await send(`${B}/transcripts/tr_unknown`, { key })).body)
  expect(await send(`${B}/projects/${id}`, { key })).toMatchObject(refusedB(404, 'not_found_error'))
  expect(await send(`${B}/projects/${id}/transcripts`, { key })).toMatchObject(refusedB(404, 'not_found_error'))
  expect(await send(`${B}/projects/${id}/transcripts`, { key, body: upload })).toMatchObject(
    refusedB(403, 'authorization_error'),
  )
  expect((await send(`${B}/projects`, { key })).body).toMatchObject({ data: [], pagination: { total: 0 } })
})

test('an upload is checked in order: id, size, JSON, turn size, fields, project', async () => {
  const { send, newProject, status } = setUp({ readings: { bodyBytes: 400, turnBytes: 100 } })
  const unknown = `${B}/projects/hp-00000000-0000-4000-8000-000000000000/transcripts`
  const huge = 'x'.repeat(401)
  expect(await status(`${B}/projects/nope/transcripts`, { body: huge })).toBe(400)
  expect(await status(`${B}/projects/%E0%A4%A/transcripts`, { body: upload })).toBe(400)
  expect(await send(unknown, { body: huge })).toMatchObject(refusedB(413, 'invalid_request_error'))
  expect(await send(unknown, { body: '{' })).toMatchObject(refusedB(400, 'invalid_request_error'))
  expect(await status(unknown, { body: upload, headers: { 'content-type': 'text/plain' } })).toBe(400)
  expect(await status(unknown, { body: { turns: [{ content: 'x'.repeat(101) }] } })).toBe(413)
  expect(await status(unknown, { body: { name: 'n' } })).toBe(400)
  expect(await status(unknown, { body: upload })).toBe(404)
  expect(await status(`${B}/projects/${newProject()}/transcripts`, { body: upload })).toBe(201)
  expect(await status(`${B}/projects/nope`)).toBe(404)
  expect(await status(`${B}/projects/%E0%A4%A`)).toBe(404)
})

test('a declared length over the limit is refused before the body is read', async () => {
  const { server, newProject } = setUp()
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1
      controller.enqueue(new Uint8Array(1024))
    },
  })
  const request = new Request(`${B}/projects/${newProject()}/transcripts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${referenceKey}`, 'content-length': '5242881' },
    body,
    duplex: 'half',
  } as RequestInit)
  expect((await server.fetch(request)).status).toBe(413)
  expect(pulled).toBeLessThanOrEqual(1)
})

test('a limit is per key and surface, tells how long to wait, and ends with its window', async () => {
  const { clock, server, send, status } = setUp({ limits: { requests: 1, windowMs: 60_000 } })
  expect(await status(`${B}/projects`)).toBe(200)
  clock.time += 500
  const refused = await send(`${B}/projects`)
  expect(refused).toMatchObject(refusedB(429, 'rate_limit_error'))
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await status(`${A}/v1/annotations`, { body: annotation })).toBe(200)
  expect(await send(`${A}/v1/annotations`, { body: annotation })).toMatchObject({
    status: 429,
    body: { error: 'rate_limited' },
  })
  expect(await status(`${B}/projects`, { key: server.world.createKey().key })).toBe(200)
  for (const path of ['/v1/annotators', '/v1/annotators', '/health']) expect(await status(A + path)).toBe(200)
  clock.time += 59_500
  expect(await status(`${B}/projects`)).toBe(200)
})

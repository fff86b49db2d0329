import { expect, test } from 'vitest'
import { B } from '../../test/fixtures/server.js'
import { createServer, referenceKey } from '../core.js'

const text = '{"name":"p"}'
const streamOf = (...chunks: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

function sending(body: ReadableStream) {
  const server = createServer()
  const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body, duplex: 'half' }
  return { server, answered: server.fetch(`${B}/projects`, init as RequestInit) }
}

test.each([
  ['a string', text],
  ['an ArrayBuffer', new TextEncoder().encode(text).buffer],
  ['an array of another kind', new Uint16Array(4)],
  ['nothing', undefined],
])('a stream that gives %s fails as it fails to be read anywhere, and nothing is stored', async (_, chunk) => {
  const { server, answered } = sending(streamOf(chunk))
  await expect(answered).rejects.toMatchObject({
    name: 'TypeError',
    message: 'The body of the request could not be read.',
    cause: { name: 'TypeError', message: expect.stringContaining('Uint8Array') },
  })
  await expect(new Response(streamOf(chunk)).text()).rejects.toBeInstanceOf(TypeError)
  expect(server.world.projects()).toEqual([])
})

test('rejects with the error of a failed body stream as cause', async () => {
  const reason = new Error('the disk is gone')
  const body = new ReadableStream({ pull: (controller) => controller.error(reason) })
  await expect(sending(body).answered).rejects.toMatchObject({ name: 'TypeError', cause: reason })
})

test('reads a stream of bytes, Buffers included', async () => {
  const bytes = Buffer.from(text)
  expect((await sending(streamOf(bytes.subarray(0, 3), new Uint8Array(bytes.subarray(3)))).answered).status).toBe(201)
})

test('a declared length over the limit is refused before the body is read', async () => {
  const server = createServer()
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1
      controller.enqueue(new Uint8Array(1024))
    },
  })
  const request = new Request(`${B}/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${referenceKey}`, 'content-length': '5242881' },
    body,
    duplex: 'half',
  } as RequestInit)
  expect((await server.fetch(request)).status).toBe(413)
  expect(pulled).toBeLessThanOrEqual(1)
})

import { afterEach, expect, test } from 'vitest'
import { closeKept, dial, keep, request } from '../../test/fixtures/edge.js'
import { type Ambiguities, createServer, referenceKey, type ServerOptions } from '../core.js'

afterEach(closeKept)

async function setUp(options: ServerOptions) {
  const server = createServer(options)
  return { server, ...keep(await server.listen()) }
}

const headers = `Authorization: Bearer ${referenceKey}\r\nContent-Type: application/json\r\nConnection: close\r\n`
const path = '/public/api/v1/projects'

/** A request that creates a project, with a body of so many bytes. */
function creation(bytes: number, more = '') {
  const body = `{"name":"n"}${' '.repeat(bytes - 12)}`
  return request(`POST ${path}`, `${headers}Content-Length: ${bytes}\r\n${more}`, body)
}

/** The same in chunks, whose size is not declared. */
function chunks(bytes: number, more = '') {
  const body = `{"name":"n"}${' '.repeat(bytes - 12)}`
  const content = `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  return request(`POST ${path}`, `${headers}Transfer-Encoding: chunked\r\n${more}`, content)
}

/** Requests that the edge refuses itself, before any operation. */
const refusedByTheEdge: readonly [status: number, bytes: string][] = [
  [400, 'nonsense\r\n\r\n'],
  [400, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`],
  [403, `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`],
  [417, request(`POST ${path}`, 'Expect: more\r\nConnection: close\r\n')],
  [431, request(`GET ${path}`, `X: ${'x'.repeat(20_000)}\r\n`)],
]

test.each<[string, Partial<Ambiguities>, RegExp]>([
  ['the envelope and a date', {}, /\r\ndate: [\s\S]*\r\n\r\n\{"error":/i],
  ['no date', { dateHeader: false }, /^(?![\s\S]*\r\ndate: )[\s\S]*\r\n\r\n\{"error":/i],
  ['plain text', { errorBody: 'text' }, /content-type: text\/plain; charset=utf-8\r\n[\s\S]*\r\n\r\n[A-Z]/i],
  ['a message', { errorBody: 'message' }, /content-type: application\/json\r\n[\s\S]*\r\n\r\n\{"message":"/i],
])('a refusal by the HTTP edge has %s where that reading is chosen', async (_, ambiguities, form) => {
  const { port } = await setUp({ ambiguities })
  for (const [status, bytes] of refusedByTheEdge) {
    const { text } = await dial(port, bytes).ended
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text).toMatch(form)
  }
})

test.each([
  ['', true],
  [' cut off by a fault', false],
])('a response%s has no date where that reading is chosen', async (_, isWhole) => {
  const { port } = await setUp({ ambiguities: { dateHeader: false }, faults: isWhole ? [] : ['truncate; bytes=5'] })
  const { text } = await dial(port, request('GET /health', headers)).ended
  expect(text).toMatch(/^HTTP\/1.1 200 OK/)
  expect(text).not.toMatch(/\r\ndate: /i)
  expect(text.endsWith('}')).toBe(isWhole)
})

test.each([
  ['with a declared size', creation],
  ['in chunks', chunks],
])('a body %s that is too large closes the connection without a byte, and is not stored', async (_, creating) => {
  const { server, port } = await setUp({ faults: ['too-large-close; over=8000'] })
  for (const bytes of [9000, 3_000_000]) {
    // The end may be a reset: the server does not wait for the rest of the body.
    expect(await dial(port, creating(bytes)).ended).toMatchObject({ text: '' })
  }
  expect((await dial(port, creating(8000)).ended).text).toMatch(/^HTTP\/1.1 201 /)
  expect(server.world.projects()).toHaveLength(1)
})

test.each([
  ['with a declared size', creation],
  ['in chunks', chunks],
])('a body %s that is too large gets the page of a gateway, and the client sees it', async (_, creating) => {
  const { server, port } = await setUp({ faults: ['projects.create: waf; over=8000'] })
  for (const bytes of [9000, 3_000_000]) {
    const { text, by } = await dial(port, creating(bytes)).ended
    expect([by, text]).toEqual(['end', expect.stringMatching(/^HTTP\/1.1 403 [\s\S]*<!doctype html>/)])
  }
  expect(server.world.projects()).toEqual([])
})

test('a body that is measured for a fault is asked for only once', async () => {
  const { port } = await setUp({ faults: ['waf; over=8000'] })
  const wire = dial(port, chunks(20, 'Expect: 100-continue\r\n'))
  const { text } = await wire.ended
  expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /)
})

test('a record that is answered with its path alone is found under the path of the listening server', async () => {
  const { publicBaseUrl, port } = await setUp({
    baseUrl: 'https://a.test',
    publicBaseUrl: 'https://b.test',
    ambiguities: { created: 'empty' },
  })
  const { text } = await dial(port, creation(12)).ended
  const [, location = ''] = /\r\nlocation: (\S+)\r\n/i.exec(text) ?? []
  expect(text).toMatch(/\r\ncontent-length: 0\r\n/i)
  const response = await fetch(new URL(location, publicBaseUrl), {
    headers: { authorization: `Bearer ${referenceKey}` },
  })
  expect((await response.json()).data.name).toBe('n')
})

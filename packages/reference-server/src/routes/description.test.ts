import { expect, test } from 'vitest'
import { createServer } from '../core.js'

const served = { baseUrl: 'http://127.0.0.1:4010', publicBaseUrl: 'http://127.0.0.1:4010/public/api/v1' }

interface Document {
  servers: { url: string }[]
  paths: Record<string, { servers?: { url: string }[] }>
}

const get = (path: string, init: RequestInit = {}, bases = served) =>
  createServer(bases).fetch(new URL(bases.baseUrl).href.replace(/\/$/, '') + path, init)
const documentFor = async (bases: typeof served): Promise<Document> =>
  (await get('/openapi.json', undefined, bases)).json()

test.each([
  ['/openapi.json', 'application/json', '{"openapi":"3.1.0"'],
  ['/openapi.yaml', 'application/yaml', 'openapi: 3.1.0'],
  ['/docs', 'text/html; charset=utf-8', '<!doctype html>'],
])('%s is served without a key, and leaves no base open', async (path, type, start) => {
  for (const publicBaseUrl of [served.publicBaseUrl, 'http://two.test/pub']) {
    const response = await get(path, undefined, { ...served, publicBaseUrl })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    const text = await response.text()
    expect(text.startsWith(start)).toBe(true)
    expect(text).toContain(served.baseUrl)
    expect(text).not.toMatch(/%[A-Z_]+%/)
  }
})

test('the base URL itself leads to the page, without a key', async () => {
  for (const [baseUrl, location] of [
    ['http://svc.test', '/docs'],
    ['http://svc.test/a', '/a/docs'],
  ] as const) {
    const response = await get('/', undefined, { baseUrl, publicBaseUrl: `${baseUrl}/public` })
    expect([response.status, response.headers.get('location')]).toEqual([302, location])
  }
})

test('names one server if the workspace surface is below the annotation surface', async () => {
  const document = await documentFor({ baseUrl: 'http://svc.test/a/', publicBaseUrl: 'http://svc.test/a/pub' })
  expect(document.servers).toEqual([{ url: 'http://svc.test/a' }])
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/health', '/v1/annotations', '/pub/projects']))
  expect(Object.values(document.paths).filter(({ servers }) => servers)).toEqual([])
})

test.each([
  ['on another host', 'http://two.test/pub', 'http://two.test', '/pub/projects'],
  ['on another host without a path', 'http://two.test', 'http://two.test', '/projects'],
  ['beside the annotation surface', 'http://svc.test/ab', 'http://svc.test', '/ab/projects'],
])('the document names the server of a workspace surface %s', async (_, publicBaseUrl, url, path) => {
  const document = await documentFor({ baseUrl: 'http://svc.test/a', publicBaseUrl })
  expect(document.servers).toEqual([{ url: 'http://svc.test/a' }])
  expect(document.paths[path]?.servers).toEqual([{ url }])
  expect(document.paths['/health']?.servers).toBeUndefined()
})

test('names the host of the request', async () => {
  const response = await get('/openapi.json', { headers: { host: '127.0.0.1:4011' } })
  expect((await response.json()).servers).toMatchObject([{ url: 'http://127.0.0.1:4011' }])
})

test('accepts a base URL that looks like a placeholder', async () => {
  const document = await documentFor({ ...served, baseUrl: 'http://svc.test/%WORKSPACE_PREFIX%' })
  expect(document.servers).toEqual([{ url: 'http://svc.test/%WORKSPACE_PREFIX%' }])
})

test('escapes base URLs in the page', async () => {
  const base = `http://svc.test/a&b'c`
  const response = await get('/docs', undefined, { baseUrl: base, publicBaseUrl: `${base}/pub` })
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  const text = await response.text()
  expect(text).toContain('http://svc.test/a&#38;b&#39;c')
  expect(text).not.toContain(base)
})

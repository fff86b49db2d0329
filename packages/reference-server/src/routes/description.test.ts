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

test('openapi.json is served without a key, and leaves no base open', async () => {
  for (const publicBaseUrl of [served.publicBaseUrl, 'http://two.test/pub']) {
    const response = await get('/openapi.json', undefined, { ...served, publicBaseUrl })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const text = await response.text()
    expect(text.startsWith('{"openapi":"3.1.0"')).toBe(true)
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

test('the page runs only its own program, asks only its server, and leads to the requests where there is a control plane', async () => {
  const pages = [createServer(), createServer({ control: { token: 't' } })].map(async ({ fetch }) => {
    const response = await fetch('https://svc.test/docs')
    const text = await response.text()
    const [, nonce] = /<script nonce="(\w{32})"/.exec(text) ?? []
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'`,
    )
    expect(text).not.toMatch(/https?:\/\/|<iframe|<object|@import|url\(| on\w+="/i)
    return { nonce, hasRequests: text.includes('<a href="_svc/">') }
  })
  const [without, beside] = await Promise.all(pages)
  expect([without?.hasRequests, beside?.hasRequests]).toEqual([false, true])
  expect(without?.nonce).not.toBe(beside?.nonce)
})

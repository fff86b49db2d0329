import { expect, test } from 'vitest'
import { createServer } from './core.js'
import { A } from './server-fixture.js'

const get = async (path: string, init: RequestInit = {}) => {
  const { fetch } = createServer()
  return fetch(new Request(A + path, init))
}

test.each([
  ['/openapi.json', 'application/json'],
  ['/openapi.yaml', 'application/yaml'],
  ['/docs', 'text/html; charset=utf-8'],
])('%s is served without a key', async (path, type) => {
  const response = await get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  expect(await response.text()).toContain('transcripts.upload')
})

test('the document names the bases under which it was asked for', async () => {
  expect((await (await get('/openapi.json')).json()).servers).toMatchObject([{ url: A }])
  const headers = { host: '127.0.0.1:4010' }
  expect((await (await get('/openapi.json', { headers })).json()).servers).toMatchObject([
    { url: 'http://127.0.0.1:4010' },
  ])
})

test('HEAD, OPTIONS and other methods are answered as everywhere', async () => {
  const head = await get('/docs', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10_000)
  expect((await get('/docs', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  expect((await get('/docs', { method: 'POST' })).status).toBe(405)
})

test('the page may run and fetch nothing', async () => {
  expect((await get('/docs')).headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
})

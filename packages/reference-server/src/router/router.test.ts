import { expect, test } from 'vitest'
import { A, B, setUp } from '../../test/fixtures/server.js'
import { createRouteTable } from './route-table.js'

const run = () => ({ status: 200, body: {} })

test('finds a route by surface and path, with its parameters decoded and its methods in Allow', () => {
  const find = createRouteTable([
    { id: 'get', surface: 'workspace', method: 'GET', path: '/a.b/{name}', run },
    { id: 'post', surface: 'workspace', method: 'POST', path: '/a.b/{name}', run },
    { id: 'other', surface: 'annotation', method: 'POST', path: '/a.b/{name}', run },
  ])
  expect(find('workspace', '/a.b/%C3%A4')).toMatchObject({
    params: { name: 'ä' },
    route: { allow: 'GET, HEAD, POST, OPTIONS' },
  })
  expect(find('annotation', '/a.b/x')?.route.allow).toBe('POST, OPTIONS')
  expect(find('workspace', '/a.b/%')?.params).toEqual({ name: undefined })
  for (const path of ['/aXb/x', '/a.b/', '/a.b/x/y', '/z/a.b/x', '/a.b/x/'])
    expect(find('workspace', path)).toBeUndefined()
})

test('records a request that no operation answers, with its status and without its key', async () => {
  const { server, send } = setUp()
  await send(`${A}/nowhere?key=sk-service-api03-0123456789abcdef`, { key: 'sk-service-api03-fedcba9876543210' })
  await send(`${B}/projects`, { key: null })
  expect(server.requests).toMatchObject([
    { path: '/nowhere?key=sk-service-api03-…cdef', status: 404, operation: null, key: 'sk-service-api03-…3210' },
    { path: '/projects', status: 401, operation: 'projects.list', key: null },
  ])
})

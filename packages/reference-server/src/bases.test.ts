import { expect, test } from 'vitest'
import { basesOf, locate, pathsOf } from './bases.js'

const bases = basesOf('http://svc.test/', 'http://svc.test/public/api/v1')

test.each([
  ['http://svc.test/health', 'annotation', '/health', ''],
  ['http://svc.test/public/api/v1/projects?page=2#x', 'workspace', '/projects', 'page=2'],
  ['http://svc.test/public/api/v1', 'workspace', '', ''],
  ['http://svc.test/public/api/v1x/projects', 'annotation', '/public/api/v1x/projects', ''],
  ['http://svc.test/evil/public/api/v1/projects', 'annotation', '/evil/public/api/v1/projects', ''],
])('%s is of the %s surface', (url, surface, path, query) => {
  expect(locate(bases, url)).toEqual({ surface, path, query })
})

test.each(['http://other.test/health', 'http://svc.test.evil/health', 'https://svc.test/health'])(
  '%s is of none',
  (url) => {
    expect(locate(bases, url)).toBeUndefined()
  },
)

test('two hosts are told apart, and share one origin when they are served', () => {
  const two = basesOf('http://a.test', 'http://b.test')
  expect(locate(two, 'http://b.test/projects')?.surface).toBe('workspace')
  expect(pathsOf('http://a.test', 'http://b.test')).toEqual({ annotation: '', workspace: '/public/api/v1' })
})

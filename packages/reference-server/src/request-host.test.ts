import { expect, test } from 'vitest'
import { hostProblem, isHost } from './request-host.js'

test.each([
  'svc.test',
  'svc.test:80',
  'svc.test:',
  '',
  '127.0.0.1:4010',
  '[::1]',
  '[::1]:80',
  'a_b~c',
  '%41',
  'XN--E1A',
])('a host: %s', (value) => expect(isHost(value)).toBe(true))

test.each(['a b', 'a/b', 'a@b', 'a:b', 'a:1:2', '[::1', '::1', '%4', 'ü', 'http://a', 'a\tb', 'a?', 'a#'])(
  'no host: %s',
  (value) => expect(isHost(value)).toBe(false),
)

test('HTTP/1.1 has one Host, HTTP/1.0 may have none', () => {
  expect(hostProblem(['accept', '*/*', 'HOST', 'a'], '1.1')).toBeUndefined()
  expect(hostProblem([], '1.0')).toBeUndefined()
  expect(hostProblem(['accept', 'host'], '1.1')).toMatch('missing')
  expect(hostProblem(['host', 'a', 'Host', 'a'], '1.1')).toMatch('more than one')
  expect(hostProblem(['host', 'a b'], '1.0')).toMatch('not a host')
})

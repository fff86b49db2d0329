import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cachePath } from './cache-path.js'

it('the cache stands in the cache folder, where there is one', () => {
  expect(cachePath({ SVC_CACHE_DIR: 'here', HOME: '/home/me' })).toBe(join('here', 'annotations.jsonl'))
  expect(cachePath({ XDG_CACHE_HOME: '/c', HOME: '/home/me' })).toBe(join('/c', 'svc', 'annotations.jsonl'))
  expect(cachePath({ XDG_CACHE_HOME: 'c', HOME: '/home/me' })).toBe(join('/home/me/.cache/svc/annotations.jsonl'))
  expect(cachePath({})).toBeUndefined()
})

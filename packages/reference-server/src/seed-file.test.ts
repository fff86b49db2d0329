import { expect, test } from 'vitest'
import { readSeed } from './seed-file.js'

test('a seed is read as it is', () => {
  const seed = {
    workspaces: ['a', 'b'],
    keys: [{ key: 'k', workspace: 'a', permissions: ['projects-read'], revoked: true }],
    projects: [
      {
        name: 'P',
        extra: { executive_summary: 's' },
        transcripts: [{ name: 't', turns: [{ role: 'user', content: '' }], annotations: {} }],
      },
    ],
  }
  expect(readSeed(seed)).toBe(seed)
  expect(readSeed({})).toEqual({})
})

test('everything that is wrong in a seed is said at once, with pointers', () => {
  const seed = {
    key: [],
    keys: [{}, { key: 'k', permissions: ['all'] }],
    projects: [{ name: '', transcripts: [{ name: 't' }] }],
  }
  expect(() => readSeed(seed)).toThrow(
    /The seed cannot be read: .*\/keys\/0\/key: required.*\/keys\/1\/permissions\/0: expected one of.*\/projects\/0\/name: expected 1 to 500.*\/transcripts\/0\/turns: required.*\/key: no such field/,
  )
  expect(() => readSeed(null)).toThrow('body: expected an object')
})

import { expect, test } from 'vitest'
import { createServer, readSeed, referenceKey, referenceWorkspace } from '../core.js'

const turns = [{ role: 'user' as const, content: 'Hi' }]

test('without a seed there is one key, with full access to one workspace', () => {
  const { world } = createServer()
  expect(world.key(referenceKey)).toMatchObject({
    workspace: referenceWorkspace,
    permissions: undefined,
    revoked: false,
  })
  expect(world.projects()).toEqual([])
})

test('keys of its own take the place of the reference key', () => {
  const { world } = createServer({ seed: { keys: [{ key: 'mine', revoked: true, permissions: ['projects-read'] }] } })
  expect(world.key(referenceKey)).toBeUndefined()
  expect(world.key('mine')).toMatchObject({ revoked: true, permissions: ['projects-read'] })
})

test('what names no workspace is of the first one', () => {
  const seed = { workspaces: ['one', 'two'], projects: [{ name: 'a' }, { name: 'b', workspace: 'two' }] }
  const { world } = createServer({ seed })
  expect(world.projects('one').map(({ record }) => record.name)).toEqual(['a'])
  expect(world.projects('two').map(({ record }) => record.name)).toEqual(['b'])
})

test('transcripts are planted with annotations, ids and states of their own', () => {
  const transcripts = [
    { id: 'tr_1', name: 't', turns, annotations: { mood: 'calm' }, processing_status: 'error' as const },
  ]
  const { world } = createServer({ seed: { projects: [{ name: 'p', transcripts }] } })
  expect(world.projects()[0]?.record.transcript_count).toBe(1)
  expect(world.transcript('tr_1')).toMatchObject({
    annotations: { mood: 'calm' },
    record: { processing_status: 'error' },
  })
})

test('a seed is read from JSON as it is, or everything that is wrong in it is said at once', () => {
  const seed = { workspaces: ['a'], keys: [{ key: 'k', workspace: 'a' }], projects: [{ name: 'P', extra: { a: 1 } }] }
  expect(readSeed(seed)).toBe(seed)
  const wrong = { key: [], keys: [{}], projects: [{ name: '', transcripts: [{ name: 't' }] }] }
  expect(() => readSeed(wrong)).toThrow(
    /Invalid seed: .*\/keys\/0\/key: required.*\/projects\/0\/name: expected 1 to 500.*\/transcripts\/0\/turns: required.*\/key: no such field/,
  )
  expect(() => readSeed(null)).toThrow('body: expected an object')
})

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

test('replaces the reference key by the keys of the seed', () => {
  const { world } = createServer({ seed: { keys: [{ key: 'mine', revoked: true, permissions: ['projects-read'] }] } })
  expect(world.key(referenceKey)).toBeUndefined()
  expect(world.key('mine')).toMatchObject({ revoked: true, permissions: ['projects-read'] })
})

test('uses the first workspace as the default', () => {
  const seed = { workspaces: ['one', 'two'], projects: [{ name: 'a' }, { name: 'b', workspace: 'two' }] }
  const { world } = createServer({ seed })
  expect(world.projects('one').map(({ record }) => record.name)).toEqual(['a'])
  expect(world.projects('two').map(({ record }) => record.name)).toEqual(['b'])
})

test('creates transcripts with the annotations, ids and states of the seed', () => {
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

test('reads a valid seed from JSON, and reports all problems of an invalid one at once', () => {
  const seed = { workspaces: ['a'], keys: [{ key: 'k', workspace: 'a' }], projects: [{ name: 'P', extra: { a: 1 } }] }
  expect(readSeed(seed)).toBe(seed)
  const wrong = { key: [], keys: [{}], projects: [{ name: '', transcripts: [{ name: 't' }] }] }
  expect(() => readSeed(wrong)).toThrow(
    /Invalid seed: .*\/keys\/0\/key: required.*\/projects\/0\/name: expected 1 to 500.*\/transcripts\/0\/turns: required.*\/key: no such field/,
  )
  expect(() => readSeed(null)).toThrow('body: expected an object')
})

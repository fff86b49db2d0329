import { expect, test } from 'vitest'
import { authenticate, authorize, bearer, type KeyRecord, redact } from './guard.js'

const key = (over: Partial<KeyRecord> = {}): KeyRecord => ({
  key: 'k',
  workspace: 'w',
  permissions: undefined,
  surfaces: undefined,
  revoked: false,
  last_used_at: null,
  ...over,
})

test.each([
  ['Bearer abc', 'abc'],
  ['bearer   abc ', 'abc'],
  ['BEARER abc', 'abc'],
  ['Bearer ', undefined],
  ['Bearer', undefined],
  ['Basic abc', undefined],
  ['Bearerabc', undefined],
  [null, undefined],
])('%j names the key %j', (header, expected) => {
  expect(bearer(header)).toBe(expected)
})

test('an unknown key is 401 on both surfaces, a revoked one 403 on the annotation surface', () => {
  expect(() => authenticate('annotation', undefined, false)).toThrow(expect.objectContaining({ status: 401 }))
  expect(() => authenticate('workspace', undefined, false)).toThrow(expect.objectContaining({ status: 401 }))
  expect(() => authenticate('annotation', key({ revoked: true }), false)).toThrow(
    expect.objectContaining({ status: 403 }),
  )
  expect(() => authenticate('workspace', key({ revoked: true }), false)).toThrow(
    expect.objectContaining({ status: 401 }),
  )
})

test('the surfaces of a key count only where keys are separate', () => {
  const one = key({ surfaces: ['annotation'] })
  expect(authenticate('workspace', one, false)).toBe(one)
  expect(() => authenticate('workspace', one, true)).toThrow(expect.objectContaining({ status: 401 }))
  expect(authenticate('annotation', one, true)).toBe(one)
})

test.each([
  [undefined, 'projects-write', true],
  [undefined, 'projects-read', true],
  [[], 'projects-read', false],
  [['projects-read'], 'projects-write', false],
  [['projects-write'], 'projects-read', false],
  [['halfpipe-transcripts-write'], 'projects-write', true],
  [['halfpipe-transcripts-write'], 'projects-read', false],
] as const)('permissions %j for %s: %s', (permissions, needed, allowed) => {
  const attempt = () => authorize(key({ permissions }), needed)
  if (allowed) expect(attempt).not.toThrow()
  else expect(attempt).toThrow(expect.objectContaining({ status: 403 }))
})

test('a redacted key shows its prefix and four characters, and a short one nothing', () => {
  expect(redact('sk-service-api03-abcdefghijklmnop')).toBe('sk-service-api03-…mnop')
  expect(redact('sk-legacy-api03-short')).toBe('sk-legacy-api03-…')
  expect(redact('secret')).toBe('…')
})

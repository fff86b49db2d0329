import { expect, it } from 'vitest'
import type { TranscriptUpload } from '../types.js'
import { stampOf, stampUpload } from './stamp.js'

const upload: TranscriptUpload = { name: 'A conversation', turns: [{ role: 'user', content: 'hi' }] }
const stamp = { key: '1'.repeat(32), occurrence: 2, write: 'ab'.repeat(16) }
const withMetadata = (metadata: unknown) => ({ ...upload, metadata }) as TranscriptUpload

it('stampUpload() adds a stamp to a copy of the upload and keeps its metadata', () => {
  const given = withMetadata({ mine: 1 })
  expect(stampUpload(given, stamp)).toEqual({ ...upload, metadata: { mine: 1, svc: stamp } })
  expect(given).toEqual({ ...upload, metadata: { mine: 1 } })
})

it('stampUpload() adds a random write of 128 bits, which is also its key, by default', () => {
  const stamps = [upload, upload].map((each) => stampOf(stampUpload(each)))
  for (const each of stamps) {
    expect(each).toEqual({
      key: each?.write,
      occurrence: 1,
      write: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  }
  expect(stamps[0]?.write).not.toBe(stamps[1]?.write)
})

it.each([['text'], [null], [7], [[1]], [{ svc: null }], [{ svc: 'mine' }]])(
  'stampUpload() returns the same upload if its metadata is %j',
  (metadata) => {
    const given = withMetadata(metadata)
    expect(stampUpload(given, stamp)).toBe(given)
  },
)

it.each<[string, unknown, unknown]>([
  ['nothing', undefined, undefined],
  ['null', null, undefined],
  ['a text', 'text', undefined],
  ['a list', ['svc'], undefined],
  ['no stamp', {}, undefined],
  ['null as the stamp', { svc: null }, undefined],
  ['a text as the stamp', { svc: 'text' }, undefined],
  ['a stamp without fields', { svc: {} }, undefined],
  ['a masked stamp', { svc: { key: 'REDACTED', write: 'REDACTED' } }, undefined],
  ['a write that is cut', { svc: { ...stamp, write: stamp.write.slice(1) } }, { key: stamp.key, occurrence: 2 }],
  ['a write in capital letters', { svc: { ...stamp, write: stamp.write.toUpperCase() } }, stamp],
  ['a stamp', { svc: stamp }, stamp],
])('stampOf() reads the 32 hexadecimal digits of metadata that has %s', (_, metadata, shown) => {
  expect(stampOf({ metadata })).toEqual(shown)
})

it.each(['k', '1'.repeat(31), 'AB'.repeat(16), '6b8d6ffc-98b4-4e8c-9d0a-0d2d6f7e1c11'])(
  'stampUpload() refuses %j as the key or write of a stamp',
  (value) => {
    for (const name of ['key', 'write'])
      expect(() => stampUpload(upload, { ...stamp, [name]: value })).toThrow(
        `stampUpload: /${name}: expected 32 hexadecimal digits in lower case.`,
      )
  },
)

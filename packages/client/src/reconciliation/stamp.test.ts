import { expect, it } from 'vitest'
import type { TranscriptUpload } from '../types.js'
import { stampOf, stampUpload } from './match.js'

const upload: TranscriptUpload = { name: 'A conversation', turns: [{ role: 'user', content: 'hi' }] }
const stamp = { key: 'k', occurrence: 2, write: 'w' }
const withMetadata = (metadata: unknown) => ({ ...upload, metadata }) as TranscriptUpload

it('stampUpload() adds a stamp to a copy of the upload and keeps its metadata', () => {
  const given = withMetadata({ mine: 1 })
  expect(stampUpload(given, stamp)).toEqual({ ...upload, metadata: { mine: 1, svc: stamp } })
  expect(given).toEqual({ ...upload, metadata: { mine: 1 } })
})

it('stampUpload() adds a random write of 128 bits, and a key made of it, by default', () => {
  const stamps = [upload, upload].map((each) => stampOf(stampUpload(each)))
  for (const each of stamps) {
    expect(each).toEqual({
      key: `client-${each?.write}`,
      occurrence: 1,
      write: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  }
  expect(stamps[0]?.write).not.toBe(stamps[1]?.write)
})

it.each([['text'], [null], [7], [[1]], [{ svc: undefined }], [{ svc: 'mine' }]])(
  'stampUpload() returns the same upload if its metadata is %j',
  (metadata) => {
    const given = withMetadata(metadata)
    expect(stampUpload(given, stamp)).toBe(given)
  },
)

it.each<[unknown, unknown]>([
  [undefined, undefined],
  [null, undefined],
  ['text', undefined],
  [['svc'], undefined],
  [{}, undefined],
  [{ svc: null }, undefined],
  [{ svc: 'text' }, undefined],
  [{ svc: {} }, {}],
  [{ svc: stamp }, stamp],
])('stampOf() reads %j as the stamp %j', (metadata, shown) => {
  expect(stampOf({ metadata })).toEqual(shown)
})

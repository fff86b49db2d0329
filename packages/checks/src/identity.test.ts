import { expect, it } from 'vitest'
import { matchTranscripts, type Placed } from './identity.js'

const placed = (path: string, sha256: string, more: Partial<Placed> = {}): Placed => ({
  ...{ path, sha256, record: 1, part: 1 },
  ...more,
})
const indexes = (before: Placed[], now: Placed[]) =>
  matchTranscripts(before, now).entries.map((each) => (each ? before.indexOf(each) : null))

it('pairs transcripts of equal content at one place, even if their ids are new in each run', () => {
  const [a, b] = [placed('a', 'x', { external_id: '1' }), placed('a', 'x', { external_id: '2' })]
  expect(indexes([a], [b])).toEqual([0])
})

it('pairs transcripts by a unique external id before it pairs them by content', () => {
  const before = [placed('a', 'x', { external_id: '1' }), placed('b', 'y', { external_id: '2' })]
  const now = [placed('c', 'y', { external_id: '1' }), placed('d', 'x', { external_id: '2' })]
  expect(indexes(before, now)).toEqual([0, 1])
})

it('does not pair equal content in other files if both have ids and these differ', () => {
  const before = [placed('a', 'x', { external_id: '1' }), placed('b', 'x', { external_id: '1' })]
  expect(indexes(before, [placed('c', 'x', { external_id: '2' })])).toEqual([null])
  expect(indexes(before, [placed('c', 'x')])).toEqual([0])
})

it('pairs other content by its record only if both files have equally many', () => {
  const before = [placed('./a', 'x'), placed('a', 'y', { record: 2 })]
  const now = [placed('a', 'z'), placed('a', 'w', { record: 2 })]
  expect(indexes(before, now)).toEqual([0, 1])
  expect(indexes(before, [...now, placed('a', 'v', { record: 3 })])).toEqual([null, null, null])
})

it('pairs other content of the same source record, wherever its file is now, and each part by itself', () => {
  const source = { source_hash: 'h' }
  const before = [placed('a', 'x', source), placed('a', 'y', { ...source, part: 2 }), placed('a', 'z', { record: 2 })]
  const now = [placed('b', 'w', { ...source, part: 2 }), placed('b', 'v', source), placed('c', 'u', { record: 2 })]
  expect(indexes(before, now)).toEqual([1, 0, null])
})

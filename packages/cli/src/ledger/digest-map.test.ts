import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DigestMap } from './digest-map.js'

const digest = (of: unknown) => createHash('sha256').update(String(of)).digest('hex')

describe('numbers by digest', () => {
  it('are as in a Map, whatever the key', () => {
    const key = fc.oneof(
      fc.nat(40).map(digest),
      fc.constantFrom('', 'abc', 'G'.repeat(64), `${digest(1)} 2`, `${digest(2)}-2`),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.integer({ min: 1, max: 2 ** 32 - 1 }))), (sets) => {
        const map = new DigestMap(64)
        const wanted = new Map<string, number>()
        for (const [each, value] of sets) {
          map.set(each, value)
          wanted.set(each, value)
        }
        for (let of = 0; of <= 40; of++) expect(map.get(digest(of))).toBe(wanted.get(digest(of)) ?? 0)
        for (const [each, value] of wanted) expect(map.get(each)).toBe(value)
      }),
    )
  })

  it('are all there after the table has grown', () => {
    const map = new DigestMap(32)
    const keys = Array.from({ length: 20_000 }, (_, of) => digest(of).slice(0, 32))
    for (const [at, key] of keys.entries()) map.set(key, at + 1)
    expect(keys.filter((key, at) => map.get(key) !== at + 1)).toEqual([])
    expect(map.get(digest('another').slice(0, 32))).toBe(0)
  })

  it('are told apart by the last of the digits that are kept, and by what is no digit', () => {
    const map = new DigestMap(64)
    map.set('0'.repeat(64), 1)
    expect(map.get(`${'0'.repeat(31)}1${'0'.repeat(32)}`)).toBe(0)
    expect(map.get(`${'0'.repeat(63)}x`)).toBe(0)
    expect(map.get('0'.repeat(32))).toBe(0)
  })
})

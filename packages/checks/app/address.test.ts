import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf, missingCase } from '../test/fixtures/cases.js'
import { addressOf, linkOf, readAddress } from './address.js'
import { type Filter, negatable, noFilter, orders } from './filter.js'
import type { Grouping } from './groups.js'

const groupings: Grouping[] = ['folder', 'tag team']
const sha256 = 'ab'.repeat(32)
const cases = [
  caseOf({ path: 'a.json' }),
  caseOf({ path: 'b.json', sha256 }),
  caseOf({ path: 'copy.json', sha256, occurrence: 2 }),
  missingCase({ path: 'ü & #1.json', sha256: null }),
]
const read = (hash: string) => readAddress(hash, cases, groupings)

describe('the address of a page', () => {
  it('the address of a page is empty for all transcripts in the usual order', () => {
    expect(addressOf(noFilter, undefined)).toBe('')
    expect(read('')).toEqual({ filter: noFilter, open: undefined, isLost: false })
  })

  it('names a transcript by its content, a copy by its number, and an unreadable path by itself', () => {
    expect(cases.slice(1).map(linkOf)).toEqual([
      ['sha', 'abababababababab'],
      ['sha', 'abababababababab-2'],
      ['path', 'ü & #1.json'],
    ])
    for (const [index, each] of cases.entries()) expect(read(addressOf(noFilter, each)).open).toBe(index)
  })

  it('leads to the same transcript in a report with others before it', () => {
    const link = addressOf(noFilter, cases[1])
    const more = [caseOf({ path: 'new.json' }), caseOf({ path: 'newer.json' }), ...cases]
    expect(readAddress(link, more, groupings).open).toBe(3)
  })

  it.each(['#sha=0123456789abcdef', '#sha=abababababababab-3', '#path=gone.json'])(
    'says that a report does not have the transcript: %s',
    (hash) => {
      expect(read(hash)).toMatchObject({ open: undefined, isLost: true })
    },
  )

  it.each(['#7', '#sha', '#sha=ab', '#result=odd&order=none&group=tag+x&in=tag+y&is=z', '#%', '#&&='])(
    'shows everything for an address that the report does not know: %s',
    (hash) => {
      expect(read(hash)).toMatchObject({ filter: noFilter, open: undefined })
    },
  )

  it('gives back any filter and transcript that it was made of', () => {
    const text = fc.string({ unit: 'binary' })
    const fields: fc.Arbitrary<Filter> = fc.record({
      text,
      result: fc.constantFrom('', 'failed', 'not judged'),
      outcome: text,
      signal: text,
      change: fc.constantFrom('', 'worse'),
      flaky: fc.boolean(),
      gap: text,
      not: fc.subarray([...negatable]),
      member: fc.option(fc.record({ by: fc.constantFrom(...groupings), value: fc.option(text) }), { nil: undefined }),
      order: fc.constantFrom(...orders),
      group: fc.constantFrom('', ...groupings),
    })
    // Nothing is negated that selects everything.
    const filter = fields.map((each) => ({ ...each, not: each.not.filter((name) => each[name]) }))
    fc.assert(
      fc.property(filter, fc.option(fc.nat(cases.length - 1), { nil: undefined }), (filter, open) => {
        const address = addressOf(filter, open === undefined ? undefined : cases[open])
        expect(read(address)).toEqual({ filter, open, isLost: false })
        // A browser keeps these characters as they are.
        expect(address).toMatch(/^(#[\w.*=&%+-]+)?$/)
      }),
    )
  })
})

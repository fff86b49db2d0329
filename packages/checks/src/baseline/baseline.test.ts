import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BaselineEntry, Identity } from './acceptance.js'
import { type Baseline, matchBaseline } from './baseline.js'

const of = (path: string, sha256: string, more: Partial<Identity> = {}): Identity => ({
  ...{ path, record: 1, part: 1, sha256 },
  ...more,
})
const entry = (identity: Identity, outcome = 'poor'): BaselineEntry => ({
  ...identity,
  name: 'x',
  outcome,
  signals: [],
  findings: [],
})
const baseline = (...transcripts: BaselineEntry[]): Baseline => ({
  ...{ schema: 'svc/baseline@2', annotator: 'a', annotator_version: '1', taxonomy_version: '1', transcripts },
})
/** Which entry each transcript is, by its place in the baseline. */
function matched(entries: Identity[], now: Identity[]) {
  const before = entries.map((each) => entry(each))
  const { entries: matches, missing } = matchBaseline(baseline(...before), now)
  return { found: matches.map((each) => (each ? before.indexOf(each) : null)), missing: missing.length }
}

describe('a transcript is found again in a baseline', () => {
  it('a transcript is found again in a baseline where its file was renamed', () => {
    expect(matched([of('a.json', '1')], [of('b.json', '1')])).toEqual({ found: [0], missing: 0 })
  })

  it('a changed transcript is found again in a baseline by its external id, if the id occurs once in both runs', () => {
    const id = { external_id: 'conversation-7' }
    expect(matched([of('a.json', '1', id)], [of('b.json', '2', id)])).toEqual({ found: [0], missing: 0 })
    const [one, other] = [of('b.json', '2', id), of('c.json', '3', id)]
    expect(matched([of('a.json', '1', id)], [one, other])).toEqual({ found: [null, null], missing: 1 })
    expect(matched([one, other], [of('a.json', '1', id)])).toEqual({ found: [null], missing: 2 })
  })

  it('a transcript is not found again in a baseline by an empty external id, or by one of two transcripts in parts', () => {
    expect(matched([of('a.json', '1', { external_id: '' })], [of('b.json', '2', { external_id: '' })]).missing).toBe(1)
    const id = { external_id: 'conversation-7' }
    const second = { ...id, part: 2 }
    const inParts = [of('a.json', '1', id), of('a.json', '2', second)]
    const edited = [of('a.json', '3', id), of('a.json', '4', second)]
    expect(matched(inParts, edited)).toEqual({ found: [0, 1], missing: 0 })
    expect(matched([...inParts, of('b.json', '5', id)], edited)).toEqual({ found: [null, null], missing: 3 })
  })

  it('a transcript is not found again in a baseline by its place alone', () => {
    expect(matched([of('a.json', '1')], [of('a.json', '2')])).toEqual({ found: [null], missing: 1 })
  })

  it('a transcript is found again in a baseline where a record was put before it', () => {
    const lines = (...texts: string[]) => texts.map((text, at) => of('a.jsonl', text, { record: at + 1 }))
    expect(matched(lines('x', 'y'), lines('new', 'x', 'y'))).toEqual({ found: [null, 0, 1], missing: 0 })
  })

  it('a transcript is not found again in a baseline without it', () => {
    expect(matched([of('a.json', '1')], [of('b.json', '2')])).toEqual({ found: [null], missing: 1 })
  })

  it('each once, and those that are the same by their places', () => {
    const equals = [of('a.json', '1'), of('b.json', '1')]
    expect(matched(equals, [...equals].reverse())).toEqual({ found: [1, 0], missing: 0 })
    expect(matched([of('a.json', '1')], equals)).toEqual({ found: [0, null], missing: 0 })
  })

  it('whatever else there is: every entry is given once or is missing', () => {
    const one = fc.record({
      path: fc.constantFrom('a', 'b'),
      record: fc.constantFrom(1, 2),
      part: fc.constant(1),
      external_id: fc.constantFrom(undefined, 'x', 'y'),
      sha256: fc.constantFrom('1', '2', '3'),
    })
    fc.assert(
      fc.property(fc.array(one), fc.array(one), (entries, now) => {
        const { found, missing } = matched(entries, now)
        const given = found.filter((each) => each !== null)
        expect(new Set(given).size).toBe(given.length)
        expect(given.length + missing).toBe(entries.length)
        expect(matched(entries, entries).missing).toBe(0)
      }),
    )
  })
})

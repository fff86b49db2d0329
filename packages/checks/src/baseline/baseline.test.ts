import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf } from '../../test/fixtures/cases.js'
import type { BaselineEntry, Identity } from './acceptance.js'
import { type Baseline, checkedPlaces, matchBaseline } from './baseline.js'
import { foundBaseline, nextBaseline } from './next-baseline.js'

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

describe('the baseline that a check writes', () => {
  const identity = of('a.json', '1')
  const places = { isOutside: () => true, isThere: () => true }
  const update = { places, acceptance: {}, today: '2026-11-30' }

  it('is none if a result is missing, or if the answers have several versions', () => {
    const found = (...cases: ReturnType<typeof caseOf>[]) =>
      foundBaseline({ annotator: 'a' }, [identity, of('b.json', '2')], cases)
    expect(found(caseOf(), caseOf())).toMatchObject({
      annotator: 'a',
      transcripts: [{ path: 'a.json' }, { path: 'b.json' }],
    })
    const missing = { result: 'not judged', gap: { why: 'unknown outcome', detail: 'x', temporary: false } } as const
    for (const other of [{ annotator_version: '9' }, { taxonomy_version: '9' }, missing])
      expect(found(caseOf(), caseOf(other))).toBeUndefined()
    expect(found(caseOf(), caseOf(), caseOf())).toBeUndefined()
  })

  it('keeps what was not checked only if it is of the same annotator, versions and options', () => {
    const before = baseline(entry(of('elsewhere.json', '3')))
    const next = (now: Partial<Baseline>) =>
      nextBaseline(before, { ...baseline(entry(identity)), ...now }, [caseOf()], update)
    expect(next({})).toMatchObject({ kept: 1, dropped: [], isLike: true })
    const others = [
      { annotator: 'b' },
      { annotator_version: '2' },
      { taxonomy_version: '2' },
      { options: { depth: 1 } },
    ]
    for (const other of others)
      expect(next(other)).toMatchObject({ kept: 0, dropped: [{ path: 'elsewhere.json' }], isLike: false })
  })

  it('accepts any content of a transcript only as long as each of its findings has a reason', () => {
    const accepted = { rule: 'forbidden', signal: 'loop', reason: 'is meant so', by: 'Ann' } as const
    const now = (...signals: string[]) =>
      baseline({
        ...entry(identity),
        external_id: 'x',
        findings: signals.map((signal) => ({ rule: 'forbidden', signal })),
      })
    const before = baseline({ ...entry(identity), external_id: 'x', anyContent: true, findings: [accepted] })
    const anyContent = (...signals: string[]) =>
      nextBaseline(before, now(...signals), [caseOf()], update).baseline.transcripts[0]?.anyContent
    expect([anyContent('loop'), anyContent('loop', 'other')]).toEqual([true, undefined])
  })
})

describe('the places of a baseline', () => {
  const files = {
    resolve: (path: string) => resolve('/home/ann', path),
    isThere: (path: string) => !path.includes('*') && path !== '/home/ann/gone.json',
  }
  const places = (...paths: string[]) =>
    checkedPlaces(files, 'base/baseline.json', paths, (path) => path === '/home/ann/base/in/unread.json')

  it('are outside of a check that does not name them, that excluded them, or that reads no standard input', () => {
    const { isOutside } = places('base/in', 'logs/**/*.jsonl')
    const outside = ['other.json', 'in/unread.json', '-', '../logs/a.json']
    const inside = ['in/a.json', 'in/deep/b.json', '../logs/x/a.jsonl', '../logs/x/all.jsonl/member.json']
    expect([...outside, ...inside].filter(isOutside)).toEqual(outside)
    expect(['-', 'in/a.json'].filter(places('-').isOutside)).toEqual(['in/a.json'])
  })

  it('are there if their file is, and never if they came from standard input', () => {
    const { isThere } = places('-')
    expect(['a.json', '../gone.json', '-'].filter(isThere)).toEqual(['a.json'])
  })
})

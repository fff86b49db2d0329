import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { occurrences } from '../identity.js'
import type { ReportCase } from '../report/index.js'
import { gitlab } from './gitlab.js'
import { sarif } from './sarif.js'

/** A transcript or a file by its content, or a path that cannot be read; at some place. */
const source = fc.record({
  content: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
  kind: fc.constantFrom('failed', 'unreadable', 'no file'),
  path: fc.constantFrom('a.json', 'b.json', 'c.jsonl'),
  record: fc.integer({ min: 1, max: 3 }),
})

/** The cases of a run. The name of each says what it is. */
function casesOf(all: readonly { content: string; kind: string; path: string; record: number }[]): ReportCase[] {
  const nth = occurrences()
  return all.map(({ content, kind, path, record }) => {
    const sha256 = kind === 'no file' ? null : contentOf(`${kind} ${content}`)
    const name = `(${kind === 'no file' ? path : `${kind} ${content}`})`
    const more = { path, record, name, sha256, occurrence: nth({ path, sha256 }) }
    return kind === 'failed' ? failedCase(more) : missingCase(more)
  })
}

/** The fingerprints of a report, each with the name in its text. */
function fingerprintsOf(cases: ReportCase[]): Map<string, string> {
  const report = reportOf(cases)
  const { results } = JSON.parse([...sarif(report)].join('')).runs[0]
  const issues = JSON.parse([...gitlab(report)].join(''))
  const all = [
    ...results.map((each: { partialFingerprints: object; message: { text: string } }) => [
      Object.values(each.partialFingerprints)[0],
      each.message.text,
    ]),
    ...issues.map((each: { fingerprint: string; description: string }) => [each.fingerprint, each.description]),
  ].map(([id, text]): [string, string] => [id, /\([^)]*\)/.exec(text)?.[0] ?? expect.fail()])
  expect(new Set(all.map(([id]) => id)).size).toBe(all.length)
  return new Map(all)
}

it('a fingerprint never moves to other content, whatever is added, removed, renamed or moved', () => {
  fc.assert(
    fc.property(fc.array(source, { maxLength: 8 }), fc.array(source, { maxLength: 8 }), (before, after) => {
      const now = fingerprintsOf(casesOf(after))
      for (const [id, name] of fingerprintsOf(casesOf(before))) expect(now.get(id) ?? name).toBe(name)
    }),
  )
})

it('content keeps its fingerprints when it is renamed and others are added before it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(source, { selector: ({ content }) => content }), fc.nat(), (all, at) => {
      const each = all[at % Math.max(1, all.length)]
      if (!each || each.kind === 'no file') return
      const alone = fingerprintsOf(casesOf([{ ...each, path: 'old.json', record: 7 }]))
      const ids = new Set(fingerprintsOf(casesOf(all)).keys())
      expect([...alone.keys()].filter((id) => !ids.has(id))).toEqual([])
    }),
  )
})

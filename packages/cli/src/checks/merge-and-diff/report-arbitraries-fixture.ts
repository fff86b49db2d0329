import fc from 'fast-check'
import type { BaselineReport, MissingTranscript, ReportCase } from '../report.js'
import { caseOf, failedCase, missingCase } from '../report-fixture.js'

const outcome = fc.constantFrom('strong', 'mixed', 'poor', 'critical')
const signals = fc
  .subarray(['greeting', 'loop', 'unresolved'])
  .map((keys) => keys.map((key) => ({ key, evidence: `of ${key}`, turn: null, line: null, column: null })))
const told = fc.record({ name: fc.constantFrom('Order 7', 'Refund', 'Parcel'), flaky: fc.boolean() })

const some = fc.oneof(
  fc.tuple(outcome, signals, told).map(([outcome, signals, more]) => caseOf({ outcome, signals, ...more })),
  fc
    .tuple(outcome, signals, told)
    .map(([outcome, signals, more]) =>
      failedCase({ outcome, signals, reasons: [{ rule: 'outcome', outcome, known: false }], ...more }),
    ),
  told.map(({ name }) => missingCase({ name })),
)

const place = fc.record({
  path: fc.constantFrom('a.json', 'b/c.jsonl', 'b.jsonl', 'ü.json'),
  record: fc.integer({ min: 1, max: 12 }),
  part: fc.integer({ min: 1, max: 2 }),
})

/** Cases of reports, each at a place of its own. */
export const cases: fc.Arbitrary<ReportCase[]> = fc
  .uniqueArray(fc.tuple(place, some), {
    minLength: 1,
    maxLength: 20,
    selector: ([{ path, record, part }]) => `${path} ${record} ${part}`,
  })
  .map((all) => all.map(([at, each]) => ({ ...each, ...at })))

/** Into how many parts, and which way. */
export const shuffledParts = fc.record({ parts: fc.integer({ min: 1, max: 5 }), seed: fc.integer() })

/** The parts of a list that are not empty, in some order. */
export function split<Each>(all: readonly Each[], parts: number, seed: number): Each[][] {
  const piles = Array.from({ length: parts }, (): Each[] => [])
  let state = seed | 0
  for (const each of all) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0
    piles[(state >>> 8) % parts]?.push(each)
  }
  return (seed % 2 === 0 ? piles : piles.reverse()).filter((pile) => pile.length > 0)
}

/** What a report says of a baseline that misses these. */
export const baselineOf = (path: string, missing: MissingTranscript[]): BaselineReport => ({
  ...{
    path,
    missing,
    counts: { new: 0, worse: 0, same: 0, better: 0 },
    edited: 0,
    sha256: null,
    stale: null,
    updated: false,
  },
})

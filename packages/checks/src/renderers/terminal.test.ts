import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { BaselineReport, ReportCase } from '../report/index.js'
import { terminal } from './terminal.js'

const many = (n: number, of: (more: Partial<ReportCase>) => ReportCase, more: Partial<ReportCase> = {}) =>
  Array.from({ length: n }, (_, at) => of({ path: `${at}.json`, ...more }))
const shown = (cases: ReportCase[], verbose = false, more: Parameters<typeof reportOf>[1] = {}) =>
  [...terminal(reportOf(cases, more), (_, text) => text, { verbose })].join('')

describe('a report on the terminal', () => {
  it('shows the fifty worst failures in full, the worst last, and all with --show-all', () => {
    const cases = Array.from({ length: 60 }, (_, at) =>
      failedCase({ record: at + 1, outcome: at === 7 ? 'critical' : 'poor' }),
    )
    const text = (options = {}) => [...terminal(reportOf(cases), (_, each) => each, options)].join('')
    const short = text()
    expect(short).toContain('failed: 60 transcripts\n  10 more; --show-all shows them\n')
    expect(short.match(/order\.json record \d+/g)?.at(-1)).toBe('order.json record 8')
    const all = text({ showAll: true })
    expect(all).not.toContain('--show-all')
    expect(all.match(/^ {2}(poor|critical) /gm)).toHaveLength(60)
    expect(short.match(/^ {2}(poor|critical) /gm)).toHaveLength(50)
  })

  it('shows the ten worst values of a tag, and counts the others', () => {
    const cases = Array.from({ length: 14 }, (_, at) =>
      (at === 13 ? failedCase : caseOf)({ tags: { team: [`t${at}`] } }),
    )
    const text = shown(cases, false, { policy: { ...defaultPolicy, tags: { team: 'team' } } })
    expect(text).toMatch(
      /^ {2}with team=t13: 1 of 1 failed\n( {2}with team=t\d+: 0 of 1 failed\n){9} {2}4 more values of team: 0 failed\n\n/,
    )
  })

  it('prints one line for each reason why transcripts were not judged, the most frequent first', () => {
    const notAsked = { why: 'not annotated' as const, detail: 'not asked', temporary: false }
    const cases = [
      ...many(2, missingCase),
      ...many(27, missingCase, { gap: notAsked }),
      caseOf({ result: 'not judged', outcome: 'odd', gap: { ...notAsked, why: 'unknown outcome', detail: null } }),
    ]
    expect(shown(cases).split('\n').slice(0, -2).join('\n')).toBe(
      `not judged: 30 transcripts
  27 not annotated: not asked  (0.json, 1.json, 2.json and 24 more)
  2 not annotated: The service answered 503.  (0.json, 1.json)
  1 unknown outcome odd  (conversations/order.json)
`,
    )
  })

  it('stays short if each transcript has another reason', () => {
    const cases = Array.from({ length: 500 }, (_, at) =>
      missingCase({ gap: { why: 'not annotated', detail: `request ${at} failed`, temporary: true } }),
    )
    expect(shown(cases).split('\n')).toHaveLength(15)
    expect(shown(cases)).toContain('\n  490 for other reasons\n')
  })

  it('counts known, accepted and missing findings in one line each', () => {
    const missing = many(5, caseOf).map(({ path, record, part, name }) => ({
      path,
      record,
      part,
      name,
      outcome: 'poor',
    }))
    const baseline: BaselineReport = {
      ...{ path: 'b.json', missing, counts: { new: 0, worse: 0, same: 0, better: 0 }, edited: 0, sha256: null },
      ...{ stale: null, updated: false },
    }
    const cases = [
      ...many(10_000, failedCase, { result: 'known' }),
      ...many(2, caseOf, { result: 'warned', outcome: 'indeterminate' }),
    ]
    const few = '0.json, 1.json, 2.json and'
    const lines = shown(cases, false, { baseline }).split('\n')
    expect(lines.slice(0, -2)).toEqual([
      `in the baseline, but not found with its content: 5 transcripts  (${few} 2 more)`,
      '',
      `known from the baseline: 10000 transcripts  (${few} 9997 more)`,
      '',
      'indeterminate, accepted by the policy: 2 transcripts  (0.json, 1.json)',
      '',
      'judged: 10002 transcripts from 10000 files by structural 1.0.0; rules: failOn poor',
    ])
    const all = shown(cases, true, { baseline })
    expect(all.split('\n').filter((line) => line.includes('7777.json'))).toEqual([
      expect.stringContaining('poor  Order 7  7777.json'),
    ])
    expect(all).toContain('\n  poor  Order 7  4.json\n')
  })

  it('lists each transcript that was not judged, with its reason, with --verbose', () => {
    const said = '  no outcome  Order 7  1.json\n    not annotated: The service answered 503.\n'
    expect([shown(many(3, missingCase)).includes(said), shown(many(3, missingCase), true).includes(said)]).toEqual([
      false,
      true,
    ])
  })

  it('lists the transcripts for which a rate fails, with their ids, outcomes and signals', () => {
    const counted: Partial<ReportCase> = {
      path: 'shop.jsonl',
      record: 2,
      name: 'shop (2)',
      external_id: 'c2',
      result: 'passed',
      reasons: [],
    }
    const policy = { ...defaultPolicy, rates: [{ of: { outcome: 'poor' }, max: 0 }] } as const
    expect(shown([failedCase(counted)], false, { policy })).toContain(
      'counts for poor or worse, at most 0 %: 1 transcript\n  c2 · shop (2) (shop.jsonl record 2): poor; “Never answered.”; unresolved at shop.jsonl:3:5\n',
    )
  })

  it('lists all failed transcripts, the worst nearest to the verdict', () => {
    const cases = [failedCase({ outcome: 'critical', path: 'c.json' }), ...many(40, failedCase)]
    const lines = shown(cases).trimEnd().split('\n')
    expect(lines[0]).toBe('failed: 41 transcripts')
    expect(lines.filter((line) => line.startsWith('  poor'))).toHaveLength(40)
    expect(lines.at(-5)).toBe('  critical  Order 7  c.json')
  })
})

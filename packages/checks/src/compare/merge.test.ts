import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { caseOf, contentOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { baselineOf, cases, casesOfRun, shuffledParts, split } from '../../test/fixtures/report-arbitraries.js'
import type { CheckError } from '../check-error.js'
import { identityKey } from '../identity.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { CheckReport, NamedReport, Policy, ReportCase } from '../report/index.js'
import { mergeReports } from './merge.js'

/** Merge reports, whose names do not tell their place among these. */
const merged = (...reports: [CheckReport, ...CheckReport[]]) =>
  mergedAs((report) => `${contentOf(JSON.stringify(report)).slice(0, 6)}.json`, reports)
const mergedAs = (nameOf: (report: CheckReport, at: number) => string, reports: readonly CheckReport[]) => {
  const [first, ...others] = reports.map((report, at) => ({ from: nameOf(report, at), report }))
  return mergeReports([first as { from: string; report: CheckReport }, ...others])
}
const refused = (...reports: [CheckReport, ...CheckReport[]]) => {
  try {
    mergedAs((_, at) => `${at + 1}.json`, reports)
  } catch (error) {
    return error as CheckError
  }
  throw new Error('nothing was refused')
}
const failing = { rates: [{ of: { outcome: 'poor' as const }, max: 0.5 }] }
const policy: Policy = { ...defaultPolicy, failOn: 'none', ...failing }

describe('merging', () => {
  it('merges the parts of any split, in any order, to the report of the whole', () => {
    fc.assert(
      fc.property(cases, shuffledParts, (all, { parts, seed }) => {
        const more = { policy }
        const pieces = split(all, parts, seed).map((piece) => reportOf(piece, more))
        const { merged_from, ...report } = merged(...(pieces as [CheckReport]))
        expect(report).toEqual(merged(reportOf(all, more)))
        expect(merged_from?.length ?? 1).toBe(pieces.length)
      }),
    )
  })

  it('the merged report has the same cases for any overlap, if some parts could not judge the cases of others', () => {
    fc.assert(
      fc.property(cases, fc.array(fc.tuple(fc.nat(19), fc.boolean())), fc.boolean(), (all, again, isFirst) => {
        const more = again.flatMap(([at, isJudged]) => {
          const { path, record, part, name, sha256 } = all[at % all.length] ?? caseOf()
          return isJudged ? [all[at % all.length] ?? caseOf()] : [missingCase({ path, record, part, name, sha256 })]
        })
        const others = more.map((each) => reportOf([each]))
        const parts = isFirst ? [reportOf(all), ...others] : [...others, reportOf(all)]
        const cases = merged(...(parts as [CheckReport])).cases.map(({ runs, ...each }) => each)
        expect(cases).toEqual(merged(reportOf(all)).cases)
      }),
    )
  })

  it('gives the same result in any grouping of three reports', () => {
    fc.assert(
      fc.property(cases, fc.integer(), (all, seed) => {
        const [a, b, c] = split(all, 3, seed).map((piece) => reportOf(piece, { policy }))
        if (!a || !b || !c) return
        const flat = merged(a, b, c)
        expect(merged(merged(a, b), c)).toEqual(flat)
        expect(merged(a, merged(c, b))).toEqual(flat)
      }),
    )
  })

  it('returns a single report with its cases sorted by place', () => {
    const [first, second] = [caseOf({ path: 'b.json' }), failedCase({ path: 'a.json', record: 10 })]
    const report = reportOf([first, second, caseOf({ path: 'a.json', record: 9 })], { losses: [loss(2)] })
    expect(merged(report)).toEqual({ ...report, cases: [report.cases[2], report.cases[1], report.cases[0]] })
  })

  it('completes an interrupted run with a second one, and does not need a third', () => {
    const broken = reportOf([caseOf({ path: 'a.json' }), missingCase({ path: 'b.json' })])
    const again = reportOf([caseOf({ path: 'a.json', answer: 'cached' }), failedCase({ path: 'b.json' })])
    expect(broken.exit).toBe(75)
    for (const report of [merged(broken, again), merged(again, broken), merged(broken, merged(again, broken))]) {
      expect(report).toMatchObject({ verdict: 'failed', exit: 100, total: 2, judged: 2 })
      expect(report.cases).toEqual([caseOf({ path: 'a.json' }), failedCase({ path: 'b.json' })])
    }
  })

  it('keeps the temporary gap of two reports that could not judge', () => {
    const over = missingCase({ gap: { why: 'over budget', detail: null, temporary: false } })
    for (const pair of [
      [over, missingCase()],
      [missingCase(), over],
    ] as const)
      expect(merged(reportOf([pair[0]]), reportOf([pair[1]]))).toMatchObject({ exit: 75, total: 1 })
  })

  it('loses no failure of any report, and counts each content and occurrence once', () => {
    fc.assert(
      fc.property(fc.array(casesOfRun, { minLength: 1, maxLength: 4 }), (runs) => {
        const report = merged(...(runs.map((all) => reportOf(all)) as [CheckReport]))
        const byKey = new Map(report.cases.map((each) => [identityKey(each), each]))
        expect(report.total).toBe(new Set(runs.flat().map(identityKey)).size)
        for (const each of runs.flat()) {
          const { result } = byKey.get(identityKey(each)) ?? expect.fail()
          if (each.result === 'failed') expect(result).toBe('failed')
          if (each.result !== 'not judged') expect(result).not.toBe('not judged')
        }
        if (runs.flat().some(({ result }) => result === 'failed')) expect(report.exit).toBe(100)
      }),
    )
  })

  it('gives the same cases and verdict in any order and grouping, and if a report is given twice', () => {
    fc.assert(
      fc.property(casesOfRun, casesOfRun, casesOfRun, (...runs) => {
        const [a, b, c] = runs.map((all) => reportOf(all, { policy })) as [CheckReport, CheckReport, CheckReport]
        const judged = ({ cases, verdict, exit, rates, total }: CheckReport) => ({ cases, verdict, exit, rates, total })
        const flat = judged(merged(a, b, c))
        for (const other of [merged(c, a, b), merged(merged(a, b), c), merged(a, merged(b, c)), merged(a, b, c, b, a)])
          expect(judged(other)).toEqual(flat)
      }),
    )
  })

  it('counts other content at the same place as another transcript, and equal content at two places as one', () => {
    const [other, same] = [contentOf('other'), caseOf().sha256]
    const failed = failedCase({ sha256: other })
    expect(merged(reportOf([caseOf()]), reportOf([failed]))).toMatchObject({ exit: 100, total: 2, judged: 2 })
    const moved = caseOf({ path: 'moved.json', sha256: same, name: 'Moved' })
    expect(merged(reportOf([caseOf()]), reportOf([moved]))).toMatchObject({ exit: 0, total: 1 })
    const unreadable = missingCase({ gap: { why: 'unreadable', detail: null, temporary: false } })
    const others = [{ ...unreadable, sha256: other }, unreadable, { ...unreadable, sha256: null }]
    expect(merged(reportOf([unreadable]), reportOf(others)).total).toBe(3)
    const pair = [caseOf(), caseOf({ path: 'copy.json', sha256: same, occurrence: 2 })]
    expect(merged(reportOf(pair), reportOf([failedCase()]))).toMatchObject({
      exit: 100,
      total: 2,
      results: { failed: 1 },
    })
  })

  it('counts the worse of two judgements, and names the transcript in a note', () => {
    const report = merged(
      reportOf([failedCase()]),
      reportOf([caseOf()]),
      reportOf([failedCase({ outcome: 'critical' })]),
    )
    expect(report).toMatchObject({ exit: 100, total: 1, outcomes: { critical: 1 } })
    expect(report.notes).toEqual([
      'the reports judge 1 transcript differently, and the worse result counts: conversations/order.json',
    ])
  })

  it('counts a report once that is there twice, by itself or within a merge, and names it', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => {
      const report = reportOf([caseOf({ path: `${name}.json`, sha256: contentOf(name) })])
      return { from: `${name}.json`, report }
    }) as [NamedReport, NamedReport, NamedReport]
    const once = mergeReports([a, b])
    const sources = [a, b].map(({ from }) => ({ from, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }))
    expect(once).toMatchObject({ merged_from: sources, notes: [], requests: { sent: 2 } })
    const notes = ['copy.json repeats a.json, and counts once']
    expect(mergeReports([a, b, { ...a, from: 'copy.json' }])).toEqual({ ...once, notes })
    const ab = { from: 'ab.json', report: once }
    expect(mergeReports([a, ab])).toEqual({ ...once, notes: ['a.json repeats a.json, and counts once'] })
    const bc = { from: 'bc.json', report: mergeReports([b, c]) }
    const both = mergeReports([ab, bc])
    expect(both.notes).toEqual(['bc.json and another merge hold b.json, whose requests count twice'])
    expect(both.merged_from?.map(({ from }) => from)).toEqual(['a.json', 'b.json', 'c.json'])
  })

  it('says how many runs asked about a transcript, and takes the answer of a cache for that of the first', () => {
    const asked = (notes: string, more: Partial<ReportCase> = {}) => reportOf([caseOf(more)], { notes: [notes] })
    const cached = { answer: 'cached' as const }
    const runsOf = (...reports: CheckReport[]) => merged(...(reports as [CheckReport])).cases.map(({ runs }) => runs)
    expect(runsOf(asked('1'), asked('2'), asked('3'))).toEqual([3])
    expect(runsOf(asked('1'), asked('2', cached))).toEqual([undefined])
    expect(runsOf(asked('1', cached), asked('2', cached))).toEqual([undefined])
    expect(runsOf(asked('1'), reportOf([missingCase()]))).toEqual([undefined])
    expect(runsOf(asked('1'), reportOf([failedCase(cached)]), asked('2'))).toEqual([2])
    expect(runsOf(merged(asked('1'), asked('2')), asked('3'))).toEqual([3])
  })

  it.each<[string, unknown, string]>([
    ['no list', {}, 'mergeReports: expected a list of { from, report }.'],
    ['an empty list', [], 'mergeReports: expected a list of { from, report }.'],
    ['a report without a name', [reportOf([caseOf()])], 'mergeReports: expected report 1 to be { from, report }.'],
    ['nothing', [null], 'mergeReports: expected report 1 to be { from, report }.'],
    ['an object that is no report', [{ from: 'a', report: {} }], 'mergeReports: a: the report cannot be used.'],
    [
      'other cases',
      [{ from: 'a', report: { ...reportOf([]), cases: [1] } }],
      'mergeReports: a: the report cannot be used.',
    ],
  ])('refuses %s in place of reports, and says what it needs', (_, given, message) => {
    expect(() => mergeReports(given as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_report',
        message,
        hint: expect.stringContaining('give { from, report }'),
      }),
    )
  })

  it('treats cases as equal that differ only in duration, place or cache', () => {
    const usage = { tokens_in: 20, tokens_out: 10, latency_ms: 900 }
    const turns = [{ role: 'user', content: 'hi', line: 4, column: 2 }]
    const other = {
      ...{ path: './conversations/order.json', answer: 'cached' as const, usage, line: 7, column: 3 },
      turns,
    }
    const signals = [{ key: 'unresolved', evidence: 'I cannot help with that.', turn: 2, line: null, column: null }]
    const [a, b] = [reportOf([failedCase({ line: 2, column: 9 })]), reportOf([failedCase({ ...other, signals })])]
    expect(merged(a, b).cases).toEqual(merged(b, a).cases)
    expect(merged(a, b)).toMatchObject({ total: 1, cases: [{ answer: 'asked', line: 2, column: 9, turns }] })
    expect(merged(a, b).cases[0]?.signals).toEqual(failedCase().signals)
  })

  it('keeps transcripts of one record apart', () => {
    const [trunk, branch] = [caseOf({ name: 'trunk' }), caseOf({ name: 'branch', sha256: contentOf('branch') })]
    const report = reportOf([trunk, branch])
    expect(
      merged(report, report)
        .cases.map(({ name }) => name)
        .sort(),
    ).toEqual(['branch', 'trunk'])
  })

  it('sums costs, losses and hidden values', () => {
    const [a, b] = [caseOf({ path: 'a.json' }), caseOf({ path: 'b.json' })].map((each, at) =>
      reportOf([each], { losses: [loss(at + 1)], redacted: { emails: 2, [`k${at}`]: 1 } }),
    ) as [CheckReport, CheckReport]
    expect(merged(a, b)).toMatchObject({
      requests: { sent: 2, cached: 0, same: 0 },
      usage: { tokens_in: 40, tokens_out: 20, latency_ms: 10 },
      losses: [loss(3)],
      redacted: { emails: 4, k0: 1, k1: 1 },
    })
  })

  it.each([
    ['annotator: structural in 1.json, patterns in 2.json', { annotator: 'patterns' }, {}],
    ['policy.failOn: poor in 1.json, critical in 2.json', { policy: { ...defaultPolicy, failOn: 'critical' } }, {}],
    ['annotator: structural in 1.json, a ::b in 2.json', { annotator: 'a\n::b' }, {}],
    ['policy.minJudged: 1 in 1.json, 0.5 in 2.json', { policy: { ...defaultPolicy, minJudged: 0.5 } }, {}],
    ['baseline: none in 1.json, b.json in 2.json', { baseline: baselineOf('b.json', []) }, {}],
    [
      'annotator version: 1.0.0 with taxonomy 1 in 1.json, 1.1.0 with taxonomy 1 in 2.json',
      {},
      { annotator_version: '1.1.0' },
    ],
  ] as const)('unlike reports are refused: %s', (said, facts, version) => {
    const error = refused(reportOf([caseOf()]), reportOf([caseOf({ path: 'b.json', ...version })], facts))
    expect([error.code, error.message, error.details]).toEqual([
      'not_comparable',
      'The reports are not comparable.',
      [said],
    ])
  })

  it('refuses reports with different baselines, unless the runs wrote them', () => {
    const held = (sha256: string | null, path: string, updated = false) =>
      reportOf([caseOf({ path })], { policy, baseline: { ...baselineOf('b.json', []), sha256, updated } })
    expect(refused(held('a1', 'a.json'), held('b2', 'b.json')).details).toEqual([
      'content of the baseline (SHA-256): a1 in 1.json, b2 in 2.json',
    ])
    expect(merged(held('a1', 'a.json', true), held('b2', 'b.json', true)).total).toBe(2)
    expect(merged(held(null, 'a.json'), held('b2', 'b.json')).total).toBe(2)
  })

  it('accepts reports with different budgets, and keeps the largest', () => {
    const of = (path: string, maxTokens: number | undefined) =>
      reportOf([caseOf({ path })], { policy: { ...defaultPolicy, maxTokens, maxCost: maxTokens, deadlineMs: 5 } })
    expect(merged(of('a.json', 10), of('b.json', 20)).policy).toMatchObject({
      ...{ maxTokens: 20, maxCost: 20, deadlineMs: 5 },
    })
    expect(merged(of('a.json', undefined), of('b.json', 20)).policy.maxTokens).toBeUndefined()
  })

  it('does not pass the report of a run that was cut short, until another report has what is missing', () => {
    const half = { ...defaultPolicy, minJudged: 0.5 }
    const cases = [caseOf({ path: 'a.json' }), missingCase({ path: 'b.json' })]
    const cut = reportOf(cases, { policy: half, mustJudgeAll: true })
    expect([cut.exit, merged(cut).exit]).toEqual([75, 75])
    expect(merged(reportOf(cases, { policy: half })).exit).toBe(0)
    expect(merged(cut, reportOf([caseOf({ path: 'b.json' })], { policy: half })).exit).toBe(0)
    expect(merged(reportOf(cases, { policy: half, stoppedBy: 130 })).exit).toBe(75)
  })

  it('ends with the exit code that all failed reports share', () => {
    const of = (path: string, gateExit: number, each: ReportCase = failedCase()) =>
      reportOf([{ ...each, path, sha256: contentOf(path) }], { gateExit })
    expect(merged(of('a.json', 7), of('b.json', 7), of('c.json', 9, caseOf())).exit).toBe(7)
    expect(merged(of('a.json', 7), of('b.json', 8)).exit).toBe(100)
    const stopped = reportOf([failedCase({ path: 'd.json' })], { stoppedBy: 130 })
    expect([stopped.exit, merged(stopped).exit, merged(stopped, of('a.json', 7)).exit]).toEqual([130, 100, 7])
  })

  it('computes rates over all transcripts, so passed parts may fail together, and failed ones pass', () => {
    const of = (path: string, each: ReportCase) => reportOf([{ ...each, path, sha256: contentOf(path) }], { policy })
    const poor = failedCase({ result: 'passed', reasons: [] })
    expect(of('a.json', poor).exit).toBe(100)
    expect(merged(of('a.json', poor), of('b.json', caseOf()))).toMatchObject({ exit: 0, verdict: 'passed' })
    expect(merged(of('a.json', poor), of('b.json', caseOf()), of('c.json', poor))).toMatchObject({
      exit: 100,
      line: 'failed: poor or worse: 2 of 3, 66.7 %, at most 50 %',
    })
  })
})

/** Reports of one input, each with an end of its own: it may have been stopped, or a rule may have failed in it. */
const ends = fc.record({
  minJudged: fc.constantFrom(0.01, 0.5, 0.8, 1),
  areShards: fc.boolean(),
  parts: fc.array(
    fc.record({
      cases: fc.array(fc.constantFrom('passed', 'passed', 'passed', 'failed', 'away', 'unreadable', 'rule failed'), {
        maxLength: 6,
      }),
      end: fc.constantFrom('complete', 'complete', 'outage', 'stopped'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

function caseWith(end: string, path: string): ReportCase {
  if (end === 'passed') return caseOf({ path })
  if (end === 'failed') return failedCase({ path })
  if (end === 'away') return missingCase({ path })
  return missingCase({ path, gap: { why: end === 'unreadable' ? end : 'rule failed', detail: null, temporary: false } })
}

/** The reports of these ends. */
function reportsOf({ minJudged, areShards, parts }: typeof ends extends fc.Arbitrary<infer Drawn> ? Drawn : never) {
  const total = parts.reduce((sum, { cases }) => sum + cases.length, 0)
  return parts.map(({ cases, end }, nth) => {
    const shard = {
      numbers: [nth + 1],
      count: parts.length,
      total,
      input: contentOf('all'),
      own_limits: [],
      merged_limits: [],
    }
    return reportOf(
      cases.map((each, at) => caseWith(each, `${nth}-${at}.json`)),
      {
        policy: { ...defaultPolicy, minJudged },
        mustJudgeAll: end === 'outage',
        stoppedBy: end === 'stopped' ? 130 : undefined,
        mayBeEmpty: true,
        ...(areShards && { shard }),
      },
    )
  })
}

describe('the verdict of merged reports', () => {
  it('never passes over a failure, nor over a gap of a stopped run or a failed rule', () => {
    fc.assert(
      fc.property(ends, (drawn) => {
        const all = drawn.parts.flatMap(({ cases }) => cases)
        const { verdict } = merged(...(reportsOf(drawn) as [CheckReport]))
        const judged = all.filter((each) => each === 'passed' || each === 'failed').length
        const isCutShort = drawn.parts.some(({ end }) => end !== 'complete') || all.includes('rule failed')
        const isEnough = judged > 0 && judged >= (isCutShort ? 1 : drawn.minJudged) * all.length
        expect(verdict).toBe(all.includes('failed') ? 'failed' : isEnough ? 'passed' : 'not judged')
      }),
      { numRuns: runs(60) },
    )
  })

  it.each([
    ['was stopped', 'stopped', ['away']],
    ['lost its service', 'outage', ['away']],
    ['lost a rule', 'complete', ['rule failed']],
  ] as const)('does not pass if one of its shards %s, whatever the others and minJudged allow', (_, end, cases) => {
    const whole = { end: 'complete' as const, cases: Array.from({ length: 9 }, () => 'passed' as const) }
    const drawn = { minJudged: 0.5 as const, areShards: true, parts: [whole, { end, cases: [...cases] }] }
    expect(merged(...(reportsOf(drawn) as [CheckReport])).verdict).toBe('not judged')
    expect(
      merged(...(reportsOf({ ...drawn, parts: [whole, { end: 'complete', cases: ['away'] }] }) as [CheckReport]))
        .verdict,
    ).toBe('passed')
  })
})

describe('the baseline of merged reports', () => {
  it('lists only the findings that are missing in all reports', () => {
    const entry = (path: string) => ({ path, record: 1, part: 1, name: 'Order', outcome: 'poor' })
    const of = (path: string, ...missing: string[]) =>
      reportOf([caseOf({ path, change: 'same', before: 'strong' })], {
        baseline: baselineOf('base.json', missing.map(entry)),
      })
    const report = merged(of('b.json', 'a.json', 'c.json'), of('a.json', 'b.json', 'c.json'))
    expect(report.baseline).toEqual({
      ...baselineOf('base.json', [entry('c.json')]),
      ...{ counts: { new: 0, worse: 0, same: 2, better: 0 }, stale: '1 removed' },
    })
    expect(merged(of('b.json', 'a.json'), of('a.json', 'b.json')).baseline).toMatchObject({ missing: [], stale: null })
  })

  it('the baseline of merged reports is out of date if one report searched for the entry, not if none did', () => {
    const entry = (path: string, outside: boolean) => ({
      ...{ path, record: 1, part: 1, name: 'Order', outcome: 'poor' },
      ...(outside && { outside }),
    })
    const of = (path: string, outside: string) =>
      reportOf([caseOf({ path })], {
        baseline: baselineOf(
          'base.json',
          ['c.json', 'd.json', 'e.json'].map((each) => entry(each, outside.includes(each))),
        ),
      })
    const { baseline } = merged(of('a.json', 'c.json d.json'), of('b.json', 'd.json e.json'))
    expect(baseline).toMatchObject({
      missing: [entry('c.json', false), entry('d.json', true), entry('e.json', false)],
      stale: '2 removed',
    })
  })
})

function loss(count: number) {
  return { code: 'dropped' as const, what: 'image part', why: 'the service stores text', count }
}

import { type Policy, type ReportCase, scale } from '@svc/report-viewer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf, missingCase, reportOf } from '../../test/fixtures/report.js'
import { judge } from './judge.js'
import { defaultPolicy } from './policy/policy.js'

const annotated = (outcome: string, ...fired: string[]) => {
  const signals = fired.map((key) => ({ key, evidence: '', turn: null, line: null, column: null }))
  const judged = judge(
    { outcome, signals: Object.fromEntries(fired.map((key) => [key, {}])) } as never,
    defaultPolicy,
    undefined,
  )
  return caseOf({ outcome, signals, ...judged, change: null })
}
const missing = (temporary: boolean) => missingCase({ gap: { why: 'not annotated', detail: null, temporary } })
const many = (n: number, outcome: string) => Array.from({ length: n }, () => annotated(outcome))
const report = (cases: ReportCase[], change: Partial<Policy> = {}) =>
  reportOf(cases, { policy: { ...defaultPolicy, ...change } })

describe('the verdict', () => {
  it('is failed although others could not be judged', () => {
    const { verdict, exit, judged } = report([missing(true), annotated('poor'), missing(false)])
    expect([verdict, exit, judged]).toEqual(['failed', 100, 1])
  })

  it('is to run again when every gap may close by itself, and not judged when one cannot', () => {
    expect(report([annotated('strong'), missing(true)]).exit).toBe(75)
    expect(report([missing(true), missing(false)]).exit).toBe(101)
    expect(report([missing(true), annotated('indeterminate')]).exit).toBe(101)
  })

  it('passes with gaps where enough was judged', () => {
    const cases = [...many(9, 'strong'), missing(false)]
    expect(report(cases, { minJudged: 0.9 }).exit).toBe(0)
    expect(report([...cases, missing(true)], { minJudged: 0.9 }).exit).toBe(101)
  })

  it('judges by a share as a person counts it, and never by none', () => {
    const parts = (judged: number, total: number) => [
      ...many(judged, 'strong'),
      ...Array.from({ length: total - judged }, () => missing(false)),
    ]
    for (const [judged, total] of [
      [7, 25],
      [14, 50],
      [14, 25],
      [28, 50],
    ] as const)
      expect(report(parts(judged, total), { minJudged: judged / total }).exit).toBe(0)
    expect(report(parts(7, 25), { minJudged: 28 / 100 }).exit).toBe(0)
    expect(report(parts(0, 1), { minJudged: 0 }).exit).toBe(101)
  })

  it('ends with the exit code that a failed gate is given, and with the signal that stopped it', () => {
    const gate = (cases: ReportCase[], stoppedBy?: number) => reportOf(cases, { gateExit: 7, stoppedBy }).exit
    expect([gate(many(1, 'poor')), gate(many(1, 'strong')), gate([missing(false)])]).toEqual([7, 0, 101])
    expect([gate(many(1, 'poor'), 130), gate(many(1, 'strong'), 143)]).toEqual([130, 143])
  })

  it('is the same in any order, and counts every transcript once', () => {
    const one = fc.constantFrom(
      ...[...scale, 'indeterminate', 'superb'].map((each) => annotated(each)),
      missing(true),
      missing(false),
    )
    fc.assert(
      fc.property(fc.array(one), fc.nat(), (cases, seed) => {
        const at = seed % (cases.length || 1)
        const one = report(cases)
        const { exit, line } = report([...cases.slice(at), ...cases.slice(0, at)])
        expect([exit, line]).toEqual([one.exit, one.line])
        expect(Object.values(one.results).reduce((sum, n) => sum + n, 0)).toBe(cases.length)
        expect(one.judged + one.results['not judged']).toBe(cases.length)
      }),
    )
  })

  it('says in its line what its exit code says', () => {
    const word = { passed: 0, failed: 100, 'could not judge': 101 }
    for (const [start, exit] of Object.entries(word)) {
      const outcome = { 0: 'strong', 100: 'poor', 101: 'superb' }[exit] ?? ''
      const { line, exit: code } = report(many(2, outcome))
      expect([line.startsWith(`${start}:`), code]).toEqual([true, exit])
    }
  })
})

describe('rates', () => {
  const poor = { of: { outcome: 'poor' }, max: 0.05 } as const
  const only = (change: Partial<Policy> = {}): Partial<Policy> => ({ failOn: 'none', rates: [poor], ...change })
  const judgedBy = (cases: ReportCase[]) =>
    cases.map((each): ReportCase => ({ ...each, result: 'passed', reasons: [] }))

  it('are of those that are judged, an outcome or worse', () => {
    const five = judgedBy([...many(95, 'strong'), ...many(4, 'poor'), annotated('critical')])
    expect(report(five, only())).toMatchObject({ exit: 0, rates: [{ hits: 5, n: 100, verdict: 'kept' }] })
    expect(report(judgedBy([...many(94, 'strong'), ...many(6, 'poor')]), only()).exit).toBe(100)
  })

  it('may be of a signal', () => {
    const rates = [{ of: { signal: 'loop' }, max: 0.5 }]
    expect(report([annotated('strong', 'loop'), annotated('strong')], only({ rates })).exit).toBe(0)
    expect(report([annotated('strong', 'loop')], only({ rates })).exit).toBe(100)
  })

  it('that cannot be told with so much confidence are no verdict', () => {
    const cases = judgedBy([...many(11, 'strong'), annotated('poor')])
    expect(report(cases, only({ confidence: 0.95 }))).toMatchObject({
      exit: 101,
      verdict: 'not judged',
      rates: [{ verdict: 'cannot tell', n: 12 }],
    })
  })

  it('that only an outage makes large are no verdict', () => {
    const cases = [...judgedBy([annotated('poor')]), ...Array.from({ length: 9 }, () => missing(true))]
    expect(report(cases, { failOn: 'none', rates: [{ of: { outcome: 'poor' }, max: 0.15 }] }).exit).toBe(75)
  })

  it('that did not grow among the transcripts of the baseline fail nothing', () => {
    const now = judgedBy([annotated('poor'), annotated('strong')])
    const against = (...before: (string | null)[]) =>
      reportOf(
        now.map((each, at) => ({ ...each, before: before[at] ?? null, before_signals: before[at] ? [] : null })),
        { policy: { ...defaultPolicy, ...only() } },
      ).exit
    expect([against(null, null), against('strong', 'strong')]).toEqual([100, 100])
    expect([against('poor', 'strong'), against('critical', 'poor')]).toEqual([0, 0])
  })

  it('that transcripts outside of the baseline exceed alone fail the check', () => {
    const [old, added] = judgedBy([annotated('poor'), annotated('poor')])
    const known = { ...(old as ReportCase), before: 'poor', before_signals: [] }
    const policy = { ...defaultPolicy, ...only() }
    expect(reportOf([known], { policy })).toMatchObject({ exit: 0, rates: [{ before: 1, common: { hits: 1, n: 1 } }] })
    expect(reportOf([known, added as ReportCase], { policy })).toMatchObject({ exit: 100, rates: [{ hits: 2, n: 2 }] })
  })

  it('of a signal are held against the signals of the baseline', () => {
    const [now] = judgedBy([annotated('strong', 'loop')])
    const policy = { ...defaultPolicy, failOn: 'none' as const, rates: [{ of: { signal: 'loop' }, max: 0.1 }] }
    const against = (...before_signals: string[]) =>
      reportOf([{ ...(now as ReportCase), before: 'strong', before_signals }], { policy }).exit
    expect([against(), against('loop')]).toEqual([100, 0])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import { type Policy, type ReportCase, scale } from '../report/index.js'
import { concludeError } from './conclude.js'
import { judge } from './judge.js'

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
  it('the verdict is failed even if other transcripts could not be judged', () => {
    const { verdict, exit, judged } = report([missing(true), annotated('poor'), missing(false)])
    expect([verdict, exit, judged]).toEqual(['failed', 100, 1])
  })

  it('the verdict is temporary if every gap is temporary, and not judged if one is not', () => {
    expect(report([annotated('strong'), missing(true)]).exit).toBe(75)
    expect(report([missing(true), missing(false)]).exit).toBe(101)
    expect(report([missing(true), annotated('indeterminate')]).exit).toBe(101)
  })

  it('passes with gaps if enough transcripts were judged', () => {
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

  it('ends with the exit code of --gate-exit-code, and with that of the signal that stopped it', () => {
    const gate = (cases: ReportCase[], stoppedBy?: number) => reportOf(cases, { gateExit: 7, stoppedBy }).exit
    expect([gate(many(1, 'poor')), gate(many(1, 'strong')), gate([missing(false)])]).toEqual([7, 0, 101])
    expect([gate(many(1, 'poor'), 130), gate(many(1, 'strong'), 143)]).toEqual([130, 143])
  })

  it('the verdict is the same in any order, and counts every transcript once', () => {
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

  it('the verdict line agrees with the exit code', () => {
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

  it('a rate counts the judged transcripts with an outcome or a worse one', () => {
    const five = judgedBy([...many(95, 'strong'), ...many(4, 'poor'), annotated('critical')])
    expect(report(five, only())).toMatchObject({ exit: 0, rates: [{ hits: 5, n: 100, verdict: 'within_limit' }] })
    expect(report(judgedBy([...many(94, 'strong'), ...many(6, 'poor')]), only()).exit).toBe(100)
  })

  it('a rate may count a signal', () => {
    const rates = [{ of: { signal: 'loop' }, max: 0.5 }]
    expect(report([annotated('strong', 'loop'), annotated('strong')], only({ rates })).exit).toBe(0)
    expect(report([annotated('strong', 'loop')], only({ rates })).exit).toBe(100)
  })

  it('leave rates undecided that lack confidence', () => {
    const cases = judgedBy([...many(11, 'strong'), annotated('poor')])
    expect(report(cases, only({ confidence: 0.95 }))).toMatchObject({
      exit: 101,
      verdict: 'not judged',
      rates: [{ verdict: 'cannot tell', n: 12 }],
    })
  })

  it('a rate is undecided if only an outage makes it large', () => {
    const cases = [...judgedBy([annotated('poor')]), ...Array.from({ length: 9 }, () => missing(true))]
    expect(report(cases, { failOn: 'none', rates: [{ of: { outcome: 'poor' }, max: 0.15 }] }).exit).toBe(75)
  })

  it('pass if they did not grow among the transcripts of the baseline', () => {
    const now = judgedBy([annotated('poor'), annotated('strong')])
    const against = (...before: (string | null)[]) =>
      reportOf(
        now.map((each, at) => ({ ...each, before: before[at] ?? null, before_signals: before[at] ? [] : null })),
        { policy: { ...defaultPolicy, ...only() } },
      ).exit
    expect([against(null, null), against('strong', 'strong')]).toEqual([100, 100])
    expect([against('poor', 'strong'), against('critical', 'poor')]).toEqual([0, 0])
  })

  it('fail the check if the new transcripts alone exceed them', () => {
    const [old, added] = judgedBy([annotated('poor'), annotated('poor')])
    const matchedCase = { ...(old as ReportCase), before: 'poor', before_signals: [] }
    const policy = { ...defaultPolicy, ...only() }
    expect(reportOf([matchedCase], { policy })).toMatchObject({
      exit: 0,
      rates: [{ before: 1, common: { hits: 1, n: 1 } }],
    })
    expect(reportOf([matchedCase, added as ReportCase], { policy })).toMatchObject({
      exit: 100,
      rates: [{ hits: 2, n: 2 }],
    })
  })

  it('compare a signal with the signals of the baseline', () => {
    const [now] = judgedBy([annotated('strong', 'loop')])
    const policy = { ...defaultPolicy, failOn: 'none' as const, rates: [{ of: { signal: 'loop' }, max: 0.1 }] }
    const against = (...before_signals: string[]) =>
      reportOf([{ ...(now as ReportCase), before: 'strong', before_signals }], { policy }).exit
    expect([against(), against('loop')]).toEqual([100, 0])
  })
})

describe('the verdict line', () => {
  const line = (cases: ReportCase[], more: Parameters<typeof reportOf>[1] = {}) => reportOf(cases, more).line
  const policyOf = (change: Partial<Policy>) => ({ policy: { ...defaultPolicy, ...change } })
  const knownCase = failedCase({ result: 'known', reasons: [{ rule: 'outcome', outcome: 'poor', known: true }] })
  const signalFailure = failedCase({
    ...{ outcome: 'strong', reasons: [{ rule: 'forbidden', signal: 'loop', known: false }] },
  })

  it('counts the failures among the judged transcripts, and those that are not judged', () => {
    expect(line(many(2, 'strong'))).toBe('passed: no transcript is poor or worse (2 judged)')
    expect(line(many(1, 'strong'), policyOf({ failOn: 'critical' }))).toBe(
      'passed: no transcript is critical (1 judged)',
    )
    expect(line([...many(18, 'mixed'), missing(false), missing(false)], policyOf({ minJudged: 0.9 }))).toBe(
      'passed: no transcript is poor or worse (18 judged); 2 of 20 not judged',
    )
  })

  it('names no outcome if other rules hold too', () => {
    for (const change of [
      { failOn: 'none' },
      { forbidden: ['loop'] },
      { allowed: [] },
      { required: ['unresolved'] },
      { overrides: [{ files: ['old/**'], failOn: 'critical' }] },
    ] satisfies Partial<Policy>[])
      expect(line(many(2, 'strong'), policyOf(change))).toBe('passed: no transcript breaks a rule (2 judged)')
    expect(line(many(1, 'strong'), policyOf({ failOn: 'none' }))).toBe('passed: no transcript breaks a rule (1 judged)')
  })

  it('prints how many failures are known from the baseline', () => {
    expect(line([knownCase, ...many(3, 'strong')])).toBe(
      'passed: no new failures in 4 transcripts (1 known from the baseline)',
    )
    expect(line([knownCase, failedCase()])).toBe(
      'failed: 1 of 2 transcripts is poor or worse; 1 known from the baseline',
    )
    const baseline = { path: 'b.json', sha256: null, missing: [], edited: 0, stale: null, updated: true }
    const counts = { new: 0, worse: 0, same: 2, better: 0 }
    expect(line([knownCase, ...many(1, 'strong')], { baseline: { ...baseline, counts } })).toBe(
      'passed: baseline written with 1 finding in 1 of 2 transcripts',
    )
  })

  it('counts each kind of failure', () => {
    expect(line([failedCase(), failedCase(), signalFailure])).toBe(
      'failed: 2 of 3 transcripts are poor or worse; 1 of 3 transcripts breaks a signal rule',
    )
    expect(line([signalFailure, signalFailure])).toBe('failed: 2 of 2 transcripts break a signal rule')
    const ofCode = (isKnown: boolean) => ({ rule: 'custom', key: 'apology', known: isKnown }) as never
    const breaking = (...reasons: ReportCase['reasons']) => failedCase({ reasons })
    expect(line([signalFailure, breaking(ofCode(false))])).toBe('failed: 2 of 2 transcripts break a rule')
    expect(line([signalFailure, breaking(...signalFailure.reasons, ofCode(true))])).toBe(
      'failed: 2 of 2 transcripts break a signal rule',
    )
    expect(line([breaking(...failedCase().reasons, ofCode(false)), annotated('strong')])).toBe(
      'failed: 1 of 2 transcripts is poor or worse; 1 of 2 transcripts breaks a rule',
    )
    expect(line([failedCase()], policyOf({ failOn: 'none' }))).toBe('failed: 1 of 1 transcript failed its rules')
    const vague = failedCase({ outcome: 'indeterminate' })
    expect(line([vague, failedCase()], policyOf({ failOn: 'none' }))).toBe(
      'failed: 2 of 2 transcripts failed their rules',
    )
    expect(line([vague], policyOf({ failOn: 'none' }))).toBe('failed: 1 of 1 transcript is indeterminate')
    expect(line([vague])).toBe('failed: 1 of 1 transcript is indeterminate')
    expect(line([vague, failedCase()])).toBe('failed: 2 of 2 transcripts are poor or worse or indeterminate')
  })

  it('shows the rates, and marks one that the baseline excuses', () => {
    const rates = [{ of: { outcome: 'poor' as const }, max: 0.5 }]
    const policy = policyOf({ failOn: 'none', rates })
    const poor = caseOf({ outcome: 'poor' })
    expect(line([poor, ...many(1, 'strong')], policy)).toBe(
      'passed: no transcript breaks a rule (2 judged); poor or worse: 1 of 2, 50 %, at most 50 %',
    )
    expect(line([poor], policy)).toBe('failed: poor or worse: 1 of 1, 100 %, at most 50 %')
    expect(line([{ ...poor, before: 'poor' }], policy)).toBe(
      'passed: no transcript breaks a rule (1 judged); poor or worse: 1 of 1, 100 %, at most 50 %, known from the baseline',
    )
    expect(line([], policy)).toBe(
      'could not judge: no transcripts; poor or worse: 0 of 0, too few to compare with 50 %',
    )
  })

  it('shows only the undecided rates of a check that could not judge', () => {
    const rates = [
      { of: { outcome: 'poor' as const }, max: 0.05 },
      { of: { outcome: 'critical' as const }, max: 0.9 },
    ]
    const cases = many(12, 'strong')
    const shown = line(cases, policyOf({ failOn: 'none', confidence: 0.95, rates }))
    expect(shown).toMatch(/^could not judge: poor or worse: 0 of 12, /)
    expect(shown).not.toContain('critical')
  })

  it('reports temporary gaps, flaky transcripts and a stopped run', () => {
    expect(line([missing(true)])).toBe('could not judge: 1 of 1 not judged; temporary failures, run it again')
    expect(line([missing(true)], { stoppedBy: 130 })).toBe('could not judge: 1 of 1 not judged; stopped')
    expect(line([missing(false)])).toBe('could not judge: 1 of 1 not judged')
    expect(line([caseOf({ flaky: true })])).toBe('passed: no transcript is poor or worse (1 judged); 1 flaky')
    expect(line([])).toBe('could not judge: no transcripts')
  })
})

describe('a report', () => {
  it('counts outcomes, signals and results, sorted by name, and lists each version once', () => {
    const twice = annotated('strong', 'loop')
    const cases = [
      ...[annotated('poor', 'loop', 'greeting'), { ...twice, signals: [...twice.signals, ...twice.signals] }],
      ...[caseOf({ taxonomy_version: '2' }), caseOf({ taxonomy_version: null }), missing(false)],
    ]
    const { outcomes, signals, results, versions, total, judged, flaky } = report([...cases, caseOf({ flaky: true })])
    expect(Object.entries(outcomes)).toEqual([
      ['poor', 1],
      ['strong', 4],
    ])
    expect(Object.entries(signals)).toEqual([
      ['greeting', 1],
      ['loop', 2],
    ])
    expect(results).toEqual({ failed: 1, 'not judged': 1, known: 0, warned: 0, ignored: 0, passed: 4 })
    expect([total, judged, flaky]).toEqual([6, 5, 1])
    expect(versions).toEqual([
      { annotator_version: '1.0.0', taxonomy_version: '1' },
      { annotator_version: '1.0.0', taxonomy_version: '2' },
    ])
  })

  it('shows what the tokens of the run cost, and what saved ones would have, by the prices of the policy', () => {
    const policy = { ...defaultPolicy, prices: { currency: 'EUR', in: 3, out: 15 } }
    const usage = { tokens_in: 2_000_000, tokens_out: 100_000, latency_ms: 0 }
    expect(reportOf([], { policy, usage }).cost).toEqual({ currency: 'EUR', spent: 7.5, saved: 0 })
    const saved = { tokens_in: 1_000_000, tokens_out: 200_000 }
    expect(reportOf([], { policy, usage, saved }).cost).toEqual({ currency: 'EUR', spent: 7.5, saved: 6 })
    expect(reportOf([], { usage }).cost).toBeUndefined()
  })

  it('records the versions, the end and the commit of the run, where they are known', () => {
    const run = { svc_versions: ['1.2.3'], ended_at: '2026-01-31T12:00:00.000Z', commit: 'abc123' }
    expect(reportOf([], run)).toMatchObject(run)
    const { ended_at, commit } = reportOf([])
    expect([ended_at, commit]).toEqual([undefined, undefined])
    expect(Object.keys(reportOf([]))).not.toContain('commit')
  })

  it('passes only with every transcript judged if it has to judge all', () => {
    const cases = [...many(9, 'strong'), missing(false)]
    const policy = { ...defaultPolicy, minJudged: 0.5 }
    expect(reportOf(cases, { policy }).exit).toBe(0)
    expect(reportOf(cases, { policy, mustJudgeAll: true }).exit).toBe(101)
  })

  it('lists the rules that matched nothing, with a similar signal that fired', () => {
    const policy = {
      ...{ ...defaultPolicy, forbidden: ['lop', 'loop'], required: ['lop'], allowed: ['zzzzzz'] },
      overrides: [{ files: ['old/**'], forbidden: ['lop', 'aside'] }],
      rates: [
        { of: { signal: 'never' }, max: 1 },
        { of: { outcome: 'critical' as const }, max: 1 },
        { of: { outcome: 'poor' as const }, max: 1 },
      ],
    }
    const { unmatched } = reportOf([annotated('poor', 'loop')], { policy, unmatchedPatterns: ['old/**'] })
    expect(unmatched).toEqual([
      { kind: 'signal', name: 'lop', rules: ['forbidden', 'required'], meant: 'loop' },
      { kind: 'signal', name: 'zzzzzz', rules: ['allowed'], meant: null },
      { kind: 'signal', name: 'aside', rules: ['forbidden'], meant: null },
      { kind: 'signal', name: 'never', rules: ['rates'], meant: null },
      { kind: 'pattern', name: 'old/**', rules: ['overrides'], meant: null },
    ])
    const none = reportOf([missing(false)], { policy, unmatchedPatterns: ['old/**'] })
    expect(none.unmatched).toEqual([{ kind: 'pattern', name: 'old/**', rules: ['overrides'], meant: null }])
  })

  it('reports the exit code, the message and the known results of a run that ended with an error', () => {
    const end = { kind: 'authentication', message: 'No key is set.', details: ['in the profile'], exit: 4 }
    const ended = concludeError({ ...end, hint: 'set one' }, [missing(true)], {
      annotator: 'structural',
      notes: ['a note'],
    })
    expect(ended).toMatchObject({
      ...{ verdict: 'not judged', exit: 4, line: 'could not judge: No key is set.', total: 1 },
      error: { message: 'No key is set.', details: ['in the profile'], hint: 'set one' },
      ...{ annotator: 'structural', policy: defaultPolicy, paths: null, service: null, options: null, attempts: null },
      ...{ confirm_on_fail: null, notes: ['a note'], losses: [], redacted: {}, baseline: null, left_out: [] },
      requests: { sent: 0, cached: 0, same: 0 },
      usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 },
    })
    expect(concludeError(end, [], {}).error).toMatchObject({ hint: null })
  })
})

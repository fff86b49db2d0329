import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../../../test/helpers/long.js'
import { caseOf, contentOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { cases as anyCases } from '../../test/fixtures/report-arbitraries.js'
import { defaultPolicy } from '../policy/in-force.js'
import { comparisonForms, renderComparison } from '../renderers/index.js'
import type { CheckReport, Comparison, NamedReport, ReportCase } from '../report/index.js'
import { randomFrom } from '../statistics.js'
import { type CompareOptions, compareReports, comparisonOf } from './compare.js'
import { mergeReports } from './merge.js'

type Run = Parameters<typeof reportOf>[1]

/** Transcripts of one version of an application, of which the first fail. */
const runOf = (n: number, failing: number, version: string, more: Partial<ReportCase> = {}): ReportCase[] =>
  Array.from({ length: n }, (_, at) => {
    const place = { path: `c/${at}.json`, name: `refund-${at}`, sha256: contentOf(`${version} ${at}`) }
    return (at < failing ? failedCase : caseOf)({ ...place, ...more })
  })

/** The verdicts of a run turned around: the last ones fail. */
const reversed = (cases: ReportCase[]): ReportCase[] => {
  const turned = [...cases].reverse()
  return cases.map((each, at) => ({ ...(turned[at] as ReportCase), ...placeOf(each) }))
}
const placeOf = ({ path, record, part, name, sha256, occurrence }: ReportCase) => ({
  ...{ path, record, part, name, sha256, occurrence },
})

const compared = (old: ReportCase[], now: ReportCase[], runs: [Run?, Run?] = [], options?: CompareOptions) =>
  comparedReports(reportOf(old, { ended_at: '2026-11-25T08:00:00.000Z', ...runs[0] }), reportOf(now, runs[1]), options)

const comparedReports = (old: CheckReport, now: CheckReport, options?: CompareOptions): Comparison =>
  compareReports({ from: 'old.json', report: old }, { from: 'new.json', report: now }, options)

const textOf = async (comparison: Comparison) => [...(await renderComparison(comparison, 'terminal'))].join('')

describe('a comparison by content', () => {
  const [old, now] = [runOf(96, 3, 'a'), reversed(runOf(96, 14, 'b'))]

  it('is worse if more changed transcripts began to fail than a coin would give', () => {
    const comparison = compared(old, now)
    expect(comparison).toMatchObject({
      verdict: 'worse',
      exit: 100,
      line: 'worse by content: of 96 changed transcripts 14 now fail, 3 no longer do',
      causes: { content: { pairs: 96, clusters: null, now_fail: 14, no_longer_fail: 3, verdict: 'worse' } },
      smallest_drop: 0.137,
    })
    expect(comparison.drop?.least).toBeCloseTo(0.048, 3)
    expect(comparison.drop?.most).toBeCloseTo(0.189, 3)
    expect(comparison.changes).toHaveLength(17)
    expect(comparison.changes[0]).toMatchObject({
      ...{ cause: 'content', change: 'now fails' },
      ...{ old: { outcome: 'strong', why: 'Went well.' }, new: { outcome: 'poor', why: 'Never answered.' } },
    })
  })

  it('is better the other way round, and passes', () => {
    expect(compared(now, old)).toMatchObject({ verdict: 'better', exit: 0, causes: { content: { now_fail: 3 } } })
  })

  it('finds no difference in as many changes of both kinds', () => {
    const [one, other] = [runOf(40, 4, 'a'), reversed(runOf(40, 5, 'b'))]
    expect(compared(one, other)).toMatchObject({ verdict: 'no difference found', exit: 0, reasons: [] })
  })

  it('passes if no transcript changed', () => {
    expect(compared(old, old, [{}, { notes: ['another run'] }])).toMatchObject({
      ...{ verdict: 'no difference found', exit: 0, line: 'no difference found by content: no transcript changed' },
      ...{ pass_rate: null, drop: null },
    })
  })

  it('cannot tell from one to four changed transcripts of which one began to fail', () => {
    for (const n of [1, 4]) {
      const comparison = compared(runOf(n, 0, 'a'), runOf(n, 1, 'b'))
      expect(comparison).toMatchObject({ verdict: 'cannot tell', exit: 101 })
      expect(comparison.reasons).toEqual([expect.stringContaining('can show nothing, and 1 now fails')])
      expect(compared(runOf(n, 1, 'a'), runOf(n, 0, 'b')).exit).toBe(0)
    }
    expect(compared(runOf(5, 0, 'a'), runOf(5, 1, 'b')).exit).toBe(0)
  })

  const known = (each: ReportCase): ReportCase => ({
    ...each,
    result: 'known',
    reasons: each.reasons.map((reason) => ({ ...reason, known: true })),
  })

  it('counts a failure that the baseline knows as a failure', () => {
    const knownFailures = runOf(10, 10, 'b').map(known)
    expect(compared(runOf(10, 0, 'a'), knownFailures).causes.content.now_fail).toBe(10)
    expect(compared(runOf(10, 10, 'a'), knownFailures).causes.content.now_fail).toBe(0)
  })

  it('needs no five changed transcripts if the baseline accepts each that began to fail', () => {
    const [one = expect.fail(), ...others] = runOf(4, 2, 'b')
    const [another = expect.fail(), ...passing] = others
    expect(compared(runOf(4, 0, 'a'), [known(one), known(another), ...passing])).toMatchObject({
      ...{ verdict: 'no difference found', exit: 0 },
    })
    expect(compared(runOf(4, 0, 'a'), [known(one), ...others]).reasons).toEqual([
      expect.stringContaining('can show nothing, and 1 now fails'),
    ])
  })

  it('counts equal transcripts once', () => {
    const equal = (n: number, version: string, make: typeof caseOf) =>
      Array.from({ length: n }, (_, at) =>
        make({ path: `c/${at}.json`, sha256: contentOf(version), occurrence: at + 1 }),
      )
    const comparison = compared(equal(20, 'a', caseOf), equal(20, 'b', failedCase))
    expect(comparison).toMatchObject({ equal: 19, exit: 101, causes: { content: { pairs: 1, now_fail: 1 } } })
  })

  it('counts the parts of a transcript, and the transcripts of a cluster, as one', () => {
    const parts = (make: typeof caseOf, version: string, more: (at: number) => Partial<ReportCase>) =>
      Array.from({ length: 20 }, (_, at) => make({ sha256: contentOf(`${version} ${at}`), ...more(at) }))
    for (const more of [
      (at: number) => ({ path: `c/${at >> 2}.json`, part: (at % 4) + 1 }),
      (at: number) => ({ path: `c/${at}.json`, cluster: `scenario ${at >> 2}` }),
    ]) {
      const comparison = compared(parts(caseOf, 'a', more), parts(failedCase, 'b', more))
      expect(comparison.causes.content).toMatchObject({ pairs: 20, clusters: 5, now_fail: 20, verdict: 'worse' })
      expect(comparison).toMatchObject({ drop: null, smallest_drop: null })
      expect(comparison.line).toContain('of 20 changed transcripts in 5 clusters 20 now fail')
    }
  })

  it('names no drop and no power for clusters, and cannot tell from fewer than five of them', () => {
    const more = (at: number) => ({ cluster: `${at % 4}`, path: `c/${at}.json` })
    const all = (make: typeof caseOf, version: string) =>
      Array.from({ length: 40 }, (_, at) => make({ sha256: contentOf(`${version} ${at}`), ...more(at) }))
    expect(compared(all(caseOf, 'a'), all(failedCase, 'b'))).toMatchObject({
      exit: 101,
      reasons: ['4 clusters can show nothing, and 40 now fail: at least 5 are needed.'],
    })
  })

  it('counts what only one report has, and does not compare it', () => {
    const [one, other] = [runOf(10, 0, 'a'), runOf(10, 0, 'a')]
    const added = failedCase({ path: 'new.json' })
    const removed = [failedCase({ path: 'gone.json' }), caseOf({ path: 'gone too.json' })]
    expect(compared([...one, ...removed], [...other, added])).toMatchObject({
      ...{ added: { total: 1, fail: 1 }, removed: { total: 2, fail: 1 }, exit: 0 },
    })
  })
})

describe('the cause of another verdict', () => {
  it('is the judge for the same content, which does not decide unless it is counted', () => {
    const [old, now] = [runOf(20, 0, 'a'), runOf(20, 20, 'a', { annotator_version: '1.1.0' })]
    expect(compared(old, now)).toMatchObject({
      ...{ verdict: 'no difference found', exit: 0 },
      causes: { content: { pairs: 0 }, judge: { pairs: 20, now_fail: 20, verdict: 'worse' } },
      judge: [{ what: 'annotator version', old: '1.0.0 with taxonomy 1', new: '1.1.0 with taxonomy 1' }],
    })
    expect(compared(old, now, [], { count: ['judge', 'content'] })).toMatchObject({
      ...{ verdict: 'worse', exit: 100, count: ['content', 'judge'] },
      line: 'worse by content and judge: of 20 changed transcripts 20 now fail, 0 no longer do',
    })
  })

  it.each<[string, Run, Partial<ReportCase>]>([
    ['another version', {}, { annotator_version: '1.1.0' }],
    ['another taxonomy', {}, { taxonomy_version: '2' }],
    ['other attempts', { attempts: 2 }, {}],
    ['confirmation of failures', { confirm_on_fail: true }, {}],
    ['other options', { options: { language: 'en' } }, {}],
    ['another service', { service: 'https://other.test' }, {}],
  ])('is content or judge for other content and %s, and never decides', (_, run, more) => {
    const comparison = compared(runOf(20, 0, 'a'), runOf(20, 20, 'b', more), [{}, run])
    expect(comparison).toMatchObject({
      ...{ verdict: 'cannot tell', exit: 101 },
      causes: { content: { pairs: 0 }, content_or_judge: { pairs: 20, now_fail: 20 } },
    })
    expect(comparison.line).toMatch(
      /^cannot tell: judge and transcripts both changed\. Check the transcripts of old\.json/,
    )
  })

  it('is a repeat for the same content and judge that was asked again', () => {
    const [old, now] = [runOf(20, 3, 'a'), reversed(runOf(20, 3, 'a'))]
    expect(compared(old, now)).toMatchObject({ unchanged: 0, exit: 0, causes: { repeat: { pairs: 20, now_fail: 3 } } })
    const cached = now.map((each) => ({ ...each, answer: 'cached' as const }))
    expect(compared(old, cached)).toMatchObject({ unchanged: 20, causes: { repeat: { pairs: 0 } } })
  })

  it('is a repeat for equal transcripts of which one was asked again, in whatever order', () => {
    const equal = (...answers: ('asked' | 'cached')[]) =>
      answers.map((answer, at) => caseOf({ path: `c/${at}.json`, sha256: contentOf('a'), occurrence: at + 1, answer }))
    const old = equal('asked', 'asked')
    for (const now of [equal('asked', 'cached'), equal('cached', 'asked')])
      expect(compared(old, now)).toMatchObject({ equal: 1, unchanged: 0, causes: { repeat: { pairs: 1 } } })
    expect(compared(old, equal('cached', 'cached'))).toMatchObject({ unchanged: 1, causes: { repeat: { pairs: 0 } } })
  })

  it('is a repeat of several attempts only if each was asked again', () => {
    const attempt = { outcome: 'strong', fails: false, annotator_version: '1.0.0', taxonomy_version: '1' }
    const votes = ['strong', 'strong']
    const withAnswers = (...from: ('asked' | 'cached')[]) =>
      runOf(5, 0, 'a', { votes, answers: from.map((each) => ({ ...attempt, from: each })) })
    const old = runOf(5, 0, 'a', { votes })
    expect(compared(old, withAnswers('asked', 'asked')).causes.repeat.pairs).toBe(5)
    expect(compared(old, withAnswers('asked', 'cached')).unchanged).toBe(5)
    expect(compared(old, runOf(5, 0, 'a', { votes, outcome_notes: 'Other notes.' })).unchanged).toBe(5)
  })

  it('is no content for other content of the same source records, which is read differently', () => {
    const source = (n: number, from: ReportCase[]) =>
      from.map((each, at) => (at < n ? { ...each, path: `moved/${at}.json`, source_hash: `${at}` } : each))
    const pairsOf = (n: number, failing: number) =>
      compared(source(n, runOf(20, 0, 'a')), source(n, runOf(20, failing, 'b')), [{}, { svc_versions: ['0.0.1'] }])
    expect(pairsOf(20, 20)).toMatchObject({
      ...{ verdict: 'cannot tell', exit: 101, read_differently: 20, causes: { content: { pairs: 0 } } },
      reasons: [
        '20 of 20 transcripts are read differently from the same records, and 20 now fail: check the transcripts of OLD as NEW was checked, then compare.',
      ],
    })
    const withHashes = (version: string) =>
      runOf(20, 0, version).map((each, at) => ({ ...each, source_hash: `${at < 3 ? '' : version} ${at}` }))
    const changed = compared(withHashes('a'), withHashes('b'), [{}, { svc_versions: ['0.0.1'] }])
    expect(changed).toMatchObject({ exit: 0, read_differently: 3, causes: { content: { pairs: 17 } } })
    const failing = withHashes('b').map((each, at) =>
      at === 0 ? failedCase({ ...placeOf(each), source_hash: ' 0' }) : each,
    )
    expect(compared(withHashes('a'), failing)).toMatchObject({
      exit: 101,
      reasons: [
        expect.stringMatching(/^3 of 20 transcripts are read differently from the same records, and 1 now fails/),
      ],
    })
  })

  it('is the judge or content if one report merges repeated runs, of which the worse result counts', () => {
    const twice = (version: string, failing: number) => {
      const runs = ['1', '2'].map((from) => ({
        from,
        report: reportOf(runOf(20, failing, version), { notes: [from] }),
      }))
      return mergeReports(runs as [NamedReport, NamedReport])
    }
    const once = reportOf(runOf(20, 0, 'a'))
    expect(comparedReports(once, twice('b', 20))).toMatchObject({
      ...{ verdict: 'cannot tell', exit: 101, causes: { content: { pairs: 0 }, content_or_judge: { pairs: 20 } } },
      judge: [{ what: 'merged runs of a transcript', old: '1', new: '2' }],
    })
    expect(comparedReports(once, twice('a', 20))).toMatchObject({ causes: { judge: { now_fail: 20 } } })
    expect(comparedReports(twice('a', 0), twice('b', 20))).toMatchObject({ verdict: 'worse', exit: 100 })
  })

  it('says how many of the changes by another judge are expected from noise, by the attempts of both reports', () => {
    const attempt = { outcome: 'strong', from: 'asked' as const, annotator_version: '1.0.0', taxonomy_version: '1' }
    /** Of 40 transcripts the first fail by two of three attempts, and others by one. */
    const runWith = (twice: number, once: number, annotator_version: string) =>
      runOf(40, twice, 'a').map((each, at) => {
        const failing = at < twice ? 2 : at < twice + once ? 1 : 0
        const answers = [0, 1, 2].map((nth) => ({ ...attempt, fails: nth < failing }))
        return { ...each, answers, votes: ['strong', 'strong', 'strong'], annotator_version }
      })
    const attempts = { attempts: 3 }
    const noise = (old: ReportCase[], now: ReportCase[], runs: [Run?, Run?] = [attempts, attempts]) =>
      compared(old, now, runs).judge_noise
    const [old, now] = [runWith(0, 12, '1.0.0'), runWith(4, 10, '1.1.0')]
    expect(noise(old, now)).toBeGreaterThan(2)
    expect(noise(old, now)).toBeLessThan(6)
    expect(noise(runWith(0, 0, '1.0.0'), runWith(0, 0, '1.1.0'))).toBeLessThan(0.05)
    for (const runs of [
      [{}, attempts],
      [attempts, { attempts: 2 }],
      [attempts, { ...attempts, confirm_on_fail: true }],
    ] as [Run, Run][])
      expect(noise(old, now, runs)).toBeNull()
  })

  it('cannot be told if the judge drifted under its version', () => {
    const [old, now] = [runOf(6, 0, 'a'), runOf(6, 6, 'a')]
    const more = (failing: number, version: string) =>
      runOf(30, failing, version).map((each) => ({ ...each, path: `other/${each.path}` }))
    const comparison = compared([...old, ...more(0, 'a')], [...now, ...more(30, 'b')])
    expect(comparison).toMatchObject({ verdict: 'cannot tell', exit: 101 })
    expect(comparison.line).toBe(
      'cannot tell: the judge drifted under its version: of 6 unchanged transcripts 6 now fail, 0 no longer do',
    )
  })
})

describe('other rules', () => {
  const policy = (change: object) => ({ policy: { ...defaultPolicy, ...change } })

  it('judge the earlier report again, and what they change is not a change of content', () => {
    const mixed = (version: string) => runOf(20, 0, version, { outcome: 'mixed', votes: ['mixed'] })
    const failing = mixed('b').map((each) => ({
      ...each,
      result: 'failed' as const,
      reasons: [{ rule: 'outcome' as const, outcome: 'mixed', known: false }],
    }))
    expect(compared(mixed('a'), failing, [{}, policy({ failOn: 'mixed' })])).toMatchObject({
      ...{ verdict: 'no difference found', exit: 0, causes: { content: { pairs: 20, now_fail: 0 } } },
      rules: { now_fail: 20, no_longer_fail: 0, differences: [{ what: 'policy.failOn', old: 'poor', new: 'mixed' }] },
    })
  })

  it('judge signals of the earlier report again', () => {
    const old = runOf(6, 6, 'a')
    const now = runOf(6, 0, 'b')
    const comparison = compared(old, now, [{}, policy({ failOn: 'none', forbidden: ['unresolved'] })])
    expect(comparison).toMatchObject({ rules: { now_fail: 0 }, causes: { content: { no_longer_fail: 6 } } })
    expect(compared(old, now, [{}, policy({ failOn: 'none', forbidden: ['loop'] })])).toMatchObject({
      ...{ rules: { no_longer_fail: 6 }, causes: { content: { no_longer_fail: 0 } } },
    })
  })

  it('judge no transcript of the earlier report that they cannot judge, or that has no outcome', () => {
    const unjudged = (why: 'unknown outcome' | 'not annotated', outcome: string | null) =>
      runOf(6, 0, 'a', {
        ...{ result: 'not judged', outcome, votes: [], gap: { why, detail: 'x', temporary: false } },
        ...{ annotator_version: null, taxonomy_version: null },
      } as Partial<ReportCase>)
    const runs: [Run, Run] = [{}, policy({ failOn: 'mixed' })]
    for (const gaps of [unjudged('unknown outcome', 'odd'), unjudged('not annotated', null)]) {
      const [before, after] = [compared(gaps, runOf(6, 6, 'b'), runs), compared(runOf(6, 6, 'b'), gaps, runs)]
      expect(before).toMatchObject({ not_judged: 6, rules: { now_fail: 0, no_longer_fail: 0 } })
      for (const { causes } of [before, after])
        expect(Object.values(causes).map(({ pairs }) => pairs)).toEqual(Object.values(causes).map(() => 0))
    }
  })

  it('keep what the same code found', () => {
    const custom = { rules: ['no-promise'], sha256: 'x' }
    const signal = { key: 'no-promise', evidence: '', message: 'promises', turn: 1, line: 1, column: 1 }
    const broken = runOf(6, 0, 'a', {
      ...{ result: 'failed', signals: [signal], reasons: [{ rule: 'custom', signal: 'no-promise', known: false }] },
    })
    const runs: [Run, Run] = [policy({ custom }), policy({ custom, failOn: 'mixed' })]
    expect(compared(broken, runOf(6, 0, 'b'), runs)).toMatchObject({
      ...{ rules: { now_fail: 0, no_longer_fail: 0 }, causes: { content: { no_longer_fail: 6 } } },
    })
  })

  it.each<[string, object, Partial<ReportCase>]>([
    ['the code of the rules changed', { custom: { rules: ['r'], sha256: 'x' } }, {}],
    ['the rules have overrides', { failOn: 'mixed', overrides: [{ files: ['a/**'], failOn: 'none' }] }, {}],
    ['it has several attempts', { failOn: 'mixed' }, { votes: ['strong', 'strong'] }],
  ])('cannot judge the earlier report again if %s', (why, change, more) => {
    const comparison = compared(runOf(20, 0, 'a', more), runOf(20, 20, 'b', more), [{}, policy(change)])
    expect(comparison).toMatchObject({ verdict: 'cannot tell', exit: 101 })
    expect(comparison.reasons[0]).toContain(why)
  })

  it('cannot judge single votes again that another attempt might have outvoted', () => {
    const attempts = { attempts: 3, confirm_on_fail: true }
    const runs: [Run, Run] = [attempts, { ...attempts, ...policy({ failOn: 'mixed' }) }]
    const comparison = compared(runOf(20, 0, 'a'), runOf(20, 0, 'b'), runs)
    expect(comparison).toMatchObject({ exit: 101, reasons: [expect.stringContaining('it has several attempts')] })
  })

  it('cannot compare if no transcript can fail', () => {
    const comparison = compared(runOf(20, 0, 'a'), runOf(20, 0, 'b'), [
      policy({ failOn: 'none' }),
      policy({ failOn: 'none' }),
    ])
    expect(comparison).toMatchObject({
      exit: 101,
      reasons: ['By the rules of NEW no transcript can fail: set failOn.'],
    })
  })
})

describe('reports that cannot be compared', () => {
  const [old, now] = [runOf(20, 0, 'a'), runOf(20, 20, 'b')]
  const onlyFailed = { sample: null, seed: null, only_failed: 'old.json', where: {}, not_selected: 3 }
  const shard = { numbers: [1], count: 2, own_limits: [], merged_limits: [] }

  it.each<[string, [Run?, Run?], string]>([
    [
      'OLD has only what failed before',
      [{ selection: onlyFailed }],
      'OLD has only what failed before (--only-failed).',
    ],
    [
      'NEW has only what failed before',
      [{}, { selection: onlyFailed }],
      'NEW has only what failed before (--only-failed).',
    ],
    ['OLD was stopped', [{ stoppedBy: 130 }], 'The run of OLD was stopped.'],
    ['an outage ended NEW', [{}, { mustJudgeAll: true }], 'The run of NEW was stopped.'],
    ['OLD is a shard', [{ shard }], 'OLD has only some of the shards: merge them first.'],
    [
      'svc changed with most transcripts',
      [{}, { svc_versions: ['0.0.1'] }],
      '20 of 20 transcripts changed with the version of svc: perhaps it reads them differently.',
    ],
  ])('cannot tell if %s', (_, runs, reason) => {
    const comparison = compared(old, now, runs)
    expect(comparison).toMatchObject({ verdict: 'cannot tell', exit: 101, reasons: [reason] })
    expect(comparison.causes.content.now_fail).toBe(20)
  })

  it('compares reports with few common transcripts as independent samples, which never decides', () => {
    const others = runOf(40, 30, 'c').map((each) => ({ ...each, path: `today/${each.path}` }))
    const comparison = compared(runOf(40, 10, 'a'), [...others, ...runOf(5, 5, 'a')])
    expect(comparison).toMatchObject({
      ...{ verdict: 'cannot tell', exit: 101 },
      independent: { old: { judged: 40, fail: 10 }, new: { judged: 45, fail: 35 }, verdict: 'worse' },
    })
    expect(comparison.line).toBe(
      'cannot tell: only 5 of 40 transcripts are in both reports: other days, or another project; as independent samples 10 of 40 failed and 35 of 45 fail: worse',
    )
  })

  it('refuses the same report twice, and a report whose cases were cut', () => {
    const report = reportOf(old)
    expect(() => comparedReports(report, structuredClone(report))).toThrow(
      'old.json and new.json are reports of the same run.',
    )
    const other = { from: 'b.json', report: reportOf(now) }
    const merge = mergeReports([{ from: 'old.json', report }, other])
    expect(() => comparedReports(report, merge)).toThrow('old.json and new.json are reports of the same run.')
    const cut = { ...reportOf(now), cases: now.slice(1) }
    expect(() => comparedReports(report, cut)).toThrow(expect.objectContaining({ code: 'contradictory_report' }))
  })
})

it('a comparison refuses what is no report, and says what it needs', () => {
  const given = { from: 'old.json', report: reportOf(runOf(5, 0, 'a')) }
  for (const [other, message] of [
    [undefined, 'compareReports: expected report 2 to be { from, report }.'],
    [given.report, 'compareReports: expected report 2 to be { from, report }.'],
    [{ ...given, report: { schema: 'svc/check@1' } }, 'compareReports: old.json: the report cannot be used.'],
  ] as const)
    expect(() => compareReports(given, other as never)).toThrow(
      expect.objectContaining({ code: 'invalid_report', message, hint: expect.stringContaining('readReport()') }),
    )
})

describe('lost judgements', () => {
  const [old, now] = [runOf(20, 0, 'a'), runOf(19, 0, 'a')]
  const lost = (more: Partial<ReportCase> = {}) =>
    missingCase({ path: 'c/19.json', sha256: contentOf('a 19'), ...more })

  it('are temporary if another run may judge all of them', () => {
    expect(compared(old, [...now, lost()])).toMatchObject({ lost: 1, exit: 75, verdict: 'cannot tell' })
    const gap = { why: 'not annotated' as const, detail: null, temporary: false }
    expect(compared(old, [...now, lost({ gap })])).toMatchObject({ lost: 1, exit: 101 })
  })

  it('are those of a file that cannot be read any more, too', () => {
    const gap = { why: 'unreadable' as const, detail: 'cut', temporary: false }
    expect(compared(old, [...now, lost({ gap, sha256: contentOf('bytes'), record: 2 })])).toMatchObject({
      lost: 1,
      exit: 101,
    })
    expect(compared(old, now)).toMatchObject({ lost: 0, removed: { total: 1 }, exit: 0 })
  })

  it('are not temporary if one of them is not', () => {
    const gap = { why: 'not annotated' as const, detail: null, temporary: false }
    const both = [lost(), lost({ gap, path: 'c/18.json', sha256: contentOf('a 18') })]
    expect(compared(old, [...runOf(18, 0, 'a'), ...both])).toMatchObject({ lost: 2, exit: 101 })
  })

  it('of a rule that fails are too many, whatever minJudged allows', () => {
    const policy = { policy: { ...defaultPolicy, minJudged: 0.5 } }
    const gap = { why: 'rule failed' as const, detail: null, temporary: false }
    expect(compared(old, [...now, lost({ gap })], [policy, policy]).exit).toBe(101)
  })

  it('pass as far as minJudged allows, and never hide that it is worse', () => {
    const policy = { policy: { ...defaultPolicy, minJudged: 0.95 } }
    expect(compared(old, [...now, lost()], [policy, policy]).exit).toBe(0)
    expect(compared(runOf(20, 0, 'b'), [...runOf(19, 19, 'a'), lost()]).exit).toBe(100)
  })

  it('are not those that were not judged before', () => {
    const comparison = compared([...now, lost()], [...now, caseOf({ path: 'c/19.json', sha256: contentOf('a 19') })])
    expect(comparison).toMatchObject({ lost: 0, not_judged: 1, exit: 0 })
  })
})

describe('the largest drop', () => {
  const policy = (maxDrop: number) => ({ policy: { ...defaultPolicy, maxDrop } })
  const [old, now] = [runOf(96, 3, 'a'), reversed(runOf(96, 14, 'b'))]

  it('decides by the bounds of the drop in place of the test', () => {
    expect(compared(old, now, [{}, policy(0.2)])).toMatchObject({ exit: 0, max_drop: { verdict: 'within_limit' } })
    expect(compared(old, now, [{}, policy(0.1)])).toMatchObject({ exit: 101, max_drop: { verdict: 'cannot tell' } })
    expect(compared(old, now, [{}, policy(0.02)])).toMatchObject({ exit: 100, max_drop: { verdict: 'exceeded' } })
  })

  it('is kept if no transcript changed', () => {
    expect(compared(old, old, [{}, policy(0)])).toMatchObject({ exit: 0, max_drop: { verdict: 'within_limit' } })
  })
})

it('a comparison of a report with itself in another order shows no change', () => {
  fc.assert(
    fc.property(anyCases, (all) => {
      const { changes, lost, added, removed } = compared(all, [...all].reverse(), [{ notes: ['first'] }])
      expect({ changes, lost, added, removed }).toEqual({
        ...{ changes: [], lost: 0, added: { total: 0, fail: 0 }, removed: { total: 0, fail: 0 } },
      })
    }),
  )
})

it('a comparison the other way round has the mirrored counts', () => {
  type Counts = Omit<Comparison['causes']['content'], 'verdict'>
  const mirrored = ({ pairs, clusters, now_fail, no_longer_fail }: Counts): Counts => ({
    ...{ pairs, clusters, now_fail: no_longer_fail, no_longer_fail: now_fail },
  })
  fc.assert(
    fc.property(anyCases, anyCases, (one, other) => {
      const [there, back] = [compared(one, other), compared(other, one)]
      expect(mirrored(there.causes.content)).toEqual(mirrored(mirrored(back.causes.content)))
      expect(there.added).toEqual(back.removed)
    }),
  )
})

it('a comparison without a difference says "worse" in at most 6 %, with clusters, noise, votes and a cache', () => {
  const random = randomFrom(72)
  const [runs, scenarios, size] = [isLong ? 400 : 120, 20, 5]
  let worse = 0
  // The comparison counts the cases, not what the report says of them.
  const whole = reportOf(runOf(scenarios * size, 0, 'a'))
  for (let run = 0; run < runs; run++) {
    // Of each scenario its own chance to fail; a majority of three votes, each misread in 5 %; a fifth is cached.
    const chances = Array.from({ length: scenarios }, () => (random() < 0.2 ? random() : 0.05))
    const draw = (version: string) =>
      Array.from({ length: scenarios * size }, (_, at) => {
        const isKept = at % 5 === 0
        const fails = random() < (chances[Math.floor(at / size)] ?? 0)
        const votes = [1, 2, 3].filter(() => fails !== random() < 0.05).length
        const make = votes >= 2 ? failedCase : caseOf
        const sha256 = contentOf(isKept ? `${at}` : `${run} ${version} ${at}`)
        return make({
          path: `${at}.json`,
          cluster: `${Math.floor(at / size)}`,
          sha256,
          answer: isKept ? 'cached' : 'asked',
        })
      })
    const [old, now] = ['a', 'b'].map((version) => ({ from: version, report: { ...whole, cases: draw(version) } }))
    if (comparisonOf(old as NamedReport, now as NamedReport).verdict === 'worse') worse++
  }
  const share = worse / runs
  expect(share + 1.645 * Math.sqrt((share * (1 - share)) / runs)).toBeLessThanOrEqual(0.06)
}, 120_000)

describe('the text of a comparison', () => {
  it('has at most 15 lines, and every change if all are to be shown', async () => {
    const now = reversed(runOf(96, 14, 'b')).concat(failedCase({ path: 'new.json' }))
    const policy = { policy: { ...defaultPolicy, failOn: 'mixed' as const } }
    const comparison = compared(runOf(96, 3, 'a'), now, [
      { commit: 'a1b2c3d4e5' },
      { ...policy, ended_at: '2026-11-25T11:00:00.000Z' },
    ])
    const text = await textOf(comparison)
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(15)
    expect(text).toContain('\n  pass rate 96.9 → 85.4 %, down 11.5 points (at least 5, at most 19)\n')
    expect(text).toContain('\n  rules     policy.failOn poor → mixed; of the old verdicts 0 now fail, 0 no longer do\n')
    expect(text).toContain('\n  unpaired  1 added (1 fails): not compared\n')
    expect(text).toContain('\n  power     96 pairs find a drop of 14 points 9 times in 10\n')
    expect(text).toContain('\n    was  Went well.\n    is   Never answered.\n  … 16 more: --show-all\n')
    expect(text).toMatch(/\nreference: old\.json, commit a1b2c3d, 3 h earlier\n$/)
    const all = [...(await renderComparison(comparison, 'terminal', { showAll: true }))].join('')
    expect(all.match(/ {4}was {2}/g)).toHaveLength(17)
    expect(all).toContain('\nno longer fails\n')
  })

  it('has at most 15 lines if there are many reasons why it cannot tell, too', async () => {
    const all = (version: string, failing: number, more: Partial<ReportCase> = {}) => [
      ...runOf(4, failing, version, more),
      ...runOf(3, failing > 0 ? 3 : 0, 'kept', more).map((each) => ({ ...each, path: `kept/${each.path}` })),
      ...runOf(30, 0, version).map((each) => ({ ...each, path: `${version}/${each.path}` })),
    ]
    const now = [...all('b', 4, { annotator_version: '2' }), missingCase({ path: 'c/0.json', record: 2 })]
    const lost = [
      ...all('a', 0),
      caseOf({ path: 'c/0.json', record: 2, sha256: missingCase({ path: 'c/0.json', record: 2 }).sha256 }),
    ]
    const comparison = compared(lost, now, [{ stoppedBy: 130 }, { stoppedBy: 143, svc_versions: ['9'] }])
    expect(comparison.reasons.length).toBeGreaterThan(4)
    const text = await textOf(comparison)
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(15)
    expect(text).toMatch(/\n {2}also {6}\d more reasons: --show-all\n/)
    const whole = [...(await renderComparison(comparison, 'terminal', { showAll: true }))].join('')
    expect(whole.match(/\n {2}also /g)).toHaveLength(comparison.reasons.length - 1)
  })

  it('names the outcome and the rule of a transcript that breaks both', async () => {
    const rule = { rule: 'custom', signal: 'apology', message: 'says sorry', known: false } as const
    const now = runOf(1, 1, 'b', { reasons: [...failedCase().reasons, rule] as never })
    const [change] = compared(runOf(1, 0, 'a'), now).changes
    expect(change?.new.why).toMatch(/^Never answered; the rule apology /)
  })

  it('bounds a rise, and a change that may be either', async () => {
    const [old, now] = [runOf(96, 3, 'a'), reversed(runOf(96, 14, 'b'))]
    expect(await textOf(compared(now, old))).toContain('85.4 → 96.9 %, up 11.5 points (at least 5, at most 19)')
    const same = await textOf(compared(runOf(40, 4, 'a'), reversed(runOf(40, 4, 'b'))))
    expect(same).toContain('90 → 90 %, no change (between 13 up and 13 down)')
  })

  it('says that one pair finds nothing', async () => {
    const text = await textOf(compared(runOf(1, 0, 'a'), runOf(1, 0, 'b')))
    expect(text).toContain('\n  power     too few to find any drop 9 times in 10: 1 pair\n')
  })

  it('names the other service in the advice, and transcripts by their own ids', async () => {
    const named = { external_id: 'c1' }
    const text = await textOf(
      compared(runOf(1, 0, 'a', named), runOf(1, 1, 'b', named), [{}, { service: 'https://other.test' }]),
    )
    expect(text).toContain('with structural 1.0.0 at https://other.test (1 request)')
    expect(await textOf(compared(runOf(1, 0, 'a', named), runOf(1, 1, 'b', named)))).toContain('\n  c1 · ')
  })

  it('says what is unknown about repeats, and why else it cannot tell', async () => {
    const cached = runOf(6, 0, 'a', { answer: 'cached' })
    expect(await textOf(compared(runOf(6, 0, 'a'), cached))).toContain(
      'repeats   6 unchanged and not asked again: drift unknown (--control 6)',
    )
    const text = await textOf(
      compared(runOf(6, 0, 'a'), runOf(6, 6, 'b', { annotator_version: '2' }), [{ stoppedBy: 130 }]),
    )
    expect(text).toContain('cannot tell: the run of OLD was stopped')
    expect(text).toContain('\n  also      Judge and transcripts both changed.')
  })

  it('shows a bounded number of changes in Markdown and HTML, and says how many there are beside', async () => {
    const comparison = compared(runOf(1200, 0, 'a'), runOf(1200, 1200, 'b'))
    const md = [...(await renderComparison(comparison, 'md'))].join('')
    const shown = md.match(/now fails \(content\)/g)?.length ?? 0
    expect([Buffer.byteLength(md) <= 60_000, shown > 300]).toEqual([true, true])
    expect(md).toContain(`\n| and ${1200 - shown} more | | | |\n`)
    const html = [...(await renderComparison(comparison, 'html'))].join('')
    expect(html.match(/now fails \(content\)/g)).toHaveLength(1000)
    expect(html).toContain('and 200 more: --report json has all')
  })

  it.each(comparisonForms)('puts the reasons of both reports side by side in %s', async (form) => {
    const parts = await renderComparison(compared(runOf(6, 0, 'a'), runOf(6, 6, 'b')), form)
    const text = [...parts].join('')
    expect(text).toContain('worse by content: of 6 changed transcripts 6 now fail, 0 no longer do')
    expect(text).toMatch(/Went well\.[^W]*Never answered\./s)
  })
})

import { canonicalJson } from '@svc/text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf, contentOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { cases } from '../../test/fixtures/report-arbitraries.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { CheckReport, Policy, ReportCase } from '../report/index.js'
import type { CaseChange, CaseDiff, ReportDiff } from './diff.js'
import { diffReports } from './diff.js'

const policy: Policy = { ...defaultPolicy, rates: [{ of: { outcome: 'poor' }, max: 0.5 }] }
const report = (all: ReportCase[], more: Partial<Policy> = {}) => reportOf(all, { policy: { ...policy, ...more } })
const pairOf = fc.tuple(cases, cases).map(([a, b]): [CheckReport, CheckReport] => [report(a), report(b)])
const one = (before: ReportCase, after: ReportCase): CaseDiff | undefined =>
  diffReports(report([before]), report([after])).cases[0]

const opposite: Record<CaseChange, CaseChange> = {
  ...{ worse: 'better', better: 'worse', both: 'both', other: 'other', replaced: 'replaced' },
  ...{ added: 'gone', gone: 'added', judged: 'unjudged', unjudged: 'judged' },
}
type Reported = Omit<ReportDiff, 'schema' | 'worse' | 'line' | 'lost' | 'exit'>
const reported = ({ schema, worse, line, lost, exit, ...rest }: ReportDiff): Reported => rest

/** The difference with before and after exchanged; its lists keep their order. */
function mirrored({ differences, before, after, counts, rates, cases, comparable }: Reported): Reported {
  const turned = <Each>({ began, ceased }: { began: Each[]; ceased: Each[] }) => ({ began: ceased, ceased: began })
  const swap = <Each extends { before: unknown; after: unknown }>(each: Each) => ({
    ...{ ...each, before: each.after, after: each.before },
  })
  return {
    ...{ comparable, before: after, after: before, differences: differences.map(swap), rates: rates.map(swap) },
    counts: Object.fromEntries(
      Object.entries(counts).map(([change, n]) => [opposite[change as CaseChange] ?? change, n]),
    ) as ReportDiff['counts'],
    cases: cases.map((each) => ({
      ...{ ...swap(each), change: opposite[each.change], reasons: turned(each.reasons), signals: turned(each.signals) },
    })),
  }
}
const sorted = ({ cases, ...rest }: Reported) => ({ ...rest, cases: cases.map(canonicalJson).sort() })

describe('the difference', () => {
  it('finds no difference of a report to itself, in any order of its cases', () => {
    fc.assert(
      fc.property(cases, (all) => {
        const diff = diffReports(report(all), report([...all].reverse()))
        expect(diff).toMatchObject({ worse: false, comparable: true, differences: [], rates: [], cases: [] })
        expect(diff.counts.same).toBe(all.length)
        expect(diff.line).toBe('not worse: no transcript changed')
      }),
    )
  })

  it('the difference of two reports is mirrored if they are swapped', () => {
    fc.assert(
      fc.property(pairOf, ([a, b]) => {
        const back = diffReports(b, a)
        expect(sorted(mirrored(reported(diffReports(a, b))))).toEqual(sorted(reported(back)))
      }),
    )
  })

  it('the difference has every transcript of both reports once', () => {
    fc.assert(
      fc.property(pairOf, ([a, b]) => {
        const { counts } = diffReports(a, b)
        const all = Object.values(counts).reduce((sum, n) => sum + n, 0)
        expect(all - counts.added).toBe(a.total)
        expect(all - counts.gone).toBe(b.total)
      }),
    )
  })

  it.each<[CaseChange | undefined, ReportCase, ReportCase]>([
    [undefined, caseOf(), caseOf({ answer: 'cached', line: 9 })],
    ['worse', caseOf(), failedCase()],
    ['worse', caseOf(), caseOf({ outcome: 'mixed' })],
    ['worse', failedCase(), failedCase({ outcome: 'critical' })],
    ['worse', caseOf(), caseOf({ result: 'failed', reasons: [{ rule: 'forbidden', signal: 'loop', known: false }] })],
    [
      'worse',
      failedCase({ result: 'known', reasons: [{ rule: 'outcome', outcome: 'poor', known: true }] }),
      failedCase(),
    ],
    ['better', failedCase(), caseOf()],
    ['better', caseOf({ outcome: 'mixed' }), caseOf()],
    [
      'both',
      failedCase(),
      caseOf({ result: 'failed', reasons: [{ rule: 'required', signal: 'hello', known: false }] }),
    ],
    ['unjudged', caseOf(), missingCase()],
    ['unjudged', failedCase(), missingCase()],
    ['judged', missingCase(), caseOf()],
    ['other', caseOf(), caseOf({ outcome: 'indeterminate', result: 'warned' })],
    ['other', caseOf(), caseOf({ flaky: true })],
    ['other', caseOf(), caseOf({ signals: failedCase().signals })],
  ])('the difference of a transcript is %s', (change, before, after) => {
    expect(one(before, after)?.change).toBe(change)
  })

  it('lists the rules and signals that started and stopped', () => {
    const { reasons, signals } = one(
      failedCase(),
      caseOf({ signals: [{ key: 'loop', evidence: 'again', turn: 1, line: 2, column: 3 }] }),
    ) as CaseDiff
    expect(reasons).toEqual({ began: [], ceased: failedCase().reasons })
    expect([signals.began.map(({ key }) => key), signals.ceased]).toEqual([['loop'], failedCase().signals])
  })

  it('follows content to another place and name, whatever is put in its place', () => {
    const { sha256 } = caseOf()
    const moved = caseOf({ path: 'b.json', record: 3, name: 'Moved', sha256 })
    expect(diffReports(report([caseOf()]), report([moved]))).toMatchObject({
      worse: false,
      cases: [],
      counts: { same: 1 },
    })
    const taken = failedCase({ sha256: contentOf('new') })
    expect(diffReports(report([caseOf()]), report([taken, moved]))).toMatchObject({
      ...{ worse: true, counts: { added: 1, same: 1, worse: 0 }, cases: [{ change: 'added' }] },
    })
    expect(one(caseOf(), { ...moved, ...{ result: 'failed', reasons: failedCase().reasons } })?.change).toBe('worse')
  })

  it('reports other content at the same place as replaced, and each of its failures as new', () => {
    const other = { sha256: contentOf('other') }
    expect(diffReports(report([failedCase()]), report([failedCase(other)]))).toMatchObject({
      worse: true,
      line: 'worse: 1 replaced; 1 new finding',
      cases: [{ change: 'replaced', reasons: { began: [{ rule: 'outcome' }], ceased: [{ rule: 'outcome' }] } }],
    })
    expect(diffReports(report([caseOf()]), report([caseOf(other)]))).toMatchObject({
      ...{ worse: false, line: 'not worse: 1 replaced' },
    })
  })

  it('follows an external id that is unique in both reports to other content', () => {
    const [was, is] = [{ external_id: 'x' }, { external_id: 'x', sha256: contentOf('other') }]
    expect(one(failedCase(was), failedCase(is))).toMatchObject({ change: 'other', reasons: { began: [], ceased: [] } })
    const twice = [failedCase(is), failedCase({ ...is, path: 'b.json', sha256: contentOf('b') })]
    expect(diffReports(report([failedCase(was)]), report(twice)).counts).toMatchObject({ replaced: 1, added: 1 })
  })

  it('finds equal content at its own place first, so that a copy that is removed makes nothing worse', () => {
    const { sha256 } = caseOf()
    const copy = failedCase({ path: 'b.json', sha256, occurrence: 2 })
    const diff = diffReports(reportOf([caseOf(), copy]), reportOf([{ ...copy, occurrence: 1 }]))
    expect(diff).toMatchObject({ worse: false, counts: { same: 1, gone: 1 } })
  })

  it('lists the worst changes first', () => {
    const before = report([
      caseOf({ path: 'a.json' }),
      failedCase({ path: 'b.json' }),
      caseOf({ path: 'c.json', name: 'C' }),
    ])
    const after = report([
      failedCase({ path: 'a.json' }),
      caseOf({ path: 'b.json' }),
      caseOf({ path: 'd.json', name: 'D' }),
    ])
    expect(diffReports(before, after).cases.map(({ change }) => change)).toEqual(['worse', 'added', 'gone', 'better'])
  })
})

describe('something is worse', () => {
  it.each<[string, ReportCase[], ReportCase[], boolean]>([
    ['where a transcript is', [caseOf()], [failedCase()], true],
    ['where one is added that fails', [], [failedCase()], true],
    ['where one fails that was not judged', [missingCase()], [failedCase()], true],
    ['not where one is added that passes', [], [caseOf()], false],
    ['not where one is no longer judged', [caseOf()], [missingCase()], false],
    ['not where all is better', [failedCase()], [caseOf()], false],
  ])('%s', (_, before, after, expected) => {
    const rest = [1, 2, 3].map((record) => caseOf({ path: 'rest.json', record }))
    expect(diffReports(report([...rest, ...before]), report([...rest, ...after])).worse).toBe(expected)
  })

  it('something is worse where a rate fails that did not, although no transcript that both have is worse', () => {
    const poor = (path: string) => failedCase({ path, name: path, result: 'passed', reasons: [] })
    const before = report([caseOf(), poor('a.json')])
    const after = report([caseOf(), poor('a.json'), poor('b.json')])
    const { worse, rates, line } = diffReports(before, after)
    expect(worse).toBe(true)
    expect(rates).toEqual([
      {
        of: { outcome: 'poor' },
        before: { max: 0.5, hits: 1, n: 2, verdict: 'within_limit' },
        after: { max: 0.5, hits: 2, n: 3, verdict: 'exceeded' },
      },
    ])
    expect(line).toBe('worse: 1 added; 1 rate changed')
  })
})

describe('the exit code of a comparison', () => {
  const many = (n: number) => Array.from({ length: n }, (_, at) => caseOf({ path: `${at}.json` }))
  const unreadable = (path: string) =>
    missingCase({
      path,
      sha256: contentOf(`broken ${path}`),
      gap: { why: 'unreadable', detail: null, temporary: false },
    })
  const away = (path: string) => missingCase({ path })
  const all = many(4)
  const rest = all.slice(1)

  it.each<[string, number, ReportCase[], ReportCase[], Partial<Policy>]>([
    [
      '100 if a transcript is worse, whatever is lost',
      100,
      all,
      [failedCase({ path: '0.json' }), unreadable('1.json')],
      {},
    ],
    ['101 if a transcript cannot be read any more', 101, all, [unreadable('0.json'), ...rest], {}],
    ['75 if another run may judge all that is lost', 75, all, [away('0.json'), ...rest], {}],
    ['101 if it may judge a part of it', 101, all, [away('0.json'), unreadable('1.json'), ...all.slice(2)], {}],
    ['0 if minJudged allows the loss', 0, all, [unreadable('0.json'), ...rest], { minJudged: 0.75 }],
    ['101 if minJudged allows less', 101, all, [unreadable('0.json'), ...rest], { minJudged: 0.76 }],
    [
      '101 if those that were not judged before leave no room',
      101,
      [away('0.json'), ...rest],
      [away('0.json'), away('1.json'), unreadable('2.json'), all[3] as ReportCase],
      { minJudged: 0.5 },
    ],
    ['0 if nothing was judged before', 0, [unreadable('0.json')], [unreadable('0.json')], {}],
    ['0 if a transcript was removed', 0, all, rest, {}],
    ['101 if nothing is judged any more', 101, all, [], {}],
    [
      '101 if a file of several transcripts cannot be read any more',
      101,
      many(4).map((each, at) => ({ ...each, path: 'all.jsonl', record: at + 1 })),
      [unreadable('all.jsonl'), caseOf({ path: 'b.json' })],
      { minJudged: 0.5 },
    ],
    [
      '101 if a rule of the policy failed, whatever minJudged is',
      101,
      all,
      [missingCase({ path: '0.json', gap: { why: 'rule failed', detail: 'x', temporary: false } }), ...rest],
      { minJudged: 0.5 },
    ],
  ])('is %s', (_, exit, before, after, more) => {
    const diff = diffReports(report(before, more), report(after, more))
    expect([diff.exit, diff.line]).toEqual([
      exit,
      expect.stringMatching(exit === 100 ? /^worse: / : exit === 0 ? /^not worse: / : /^could not judge: /),
    ])
  })

  it('is never 0 if more judgements are lost than the stricter minJudged allows', () => {
    const share = fc.constantFrom(0.3, 0.5, 0.9, 1)
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.constantFrom('kept', 'unreadable', 'away')),
        share,
        share,
        (drawn, ends, one, other) => {
          const before = reportOf(drawn, { policy: { ...policy, rates: [], minJudged: one } })
          const later = drawn.map((each, at) =>
            ends[at] === 'unreadable'
              ? unreadable(each.path)
              : ends[at] === 'away'
                ? missingCase({ ...each, ...away(each.path), sha256: each.sha256 })
                : each,
          )
          const after = reportOf(later, { policy: { ...policy, rates: [], minJudged: other } })
          const judged = later.filter(({ result }, at) => result !== 'not judged' && drawn[at]?.result !== 'not judged')
          const isLost = judged.length < before.judged && judged.length < Math.max(one, other) * before.total - 1e-6
          if (isLost) expect(diffReports(before, after).exit).not.toBe(0)
        },
      ),
    )
  })
})

describe('reports are not comparable', () => {
  it.each<[string, CheckReport, { what: string; before: string; after: string }]>([
    [
      'versions',
      report([caseOf({ annotator_version: '2' })]),
      { what: 'annotator version', before: '1.0.0 with taxonomy 1', after: '2 with taxonomy 1' },
    ],
    [
      'annotators',
      reportOf([caseOf()], { policy, annotator: 'patterns' }),
      { what: 'annotator', before: 'structural', after: 'patterns' },
    ],
    ['rules', report([caseOf()], { failOn: 'none' }), { what: 'policy.failOn', before: 'poor', after: 'none' }],
  ])('reports with other %s are not comparable, and their changes are still reported', (_, after, differences) => {
    const diff = diffReports(report([failedCase()]), after)
    expect(diff).toMatchObject({ comparable: false, differences: [differences], counts: { better: 1 } })
    expect(diff.line).toBe('not worse: 1 better; 1 rate changed; not comparable')
  })

  it('compares only rules that judge a transcript, not rates and costs', () => {
    const diff = diffReports(report([caseOf()]), report([caseOf()], { minJudged: 0.5, maxTokens: 9 }))
    expect(diff).toMatchObject({
      comparable: true,
      differences: [{ what: 'policy.minJudged', before: '1', after: '0.5' }],
    })
  })
})

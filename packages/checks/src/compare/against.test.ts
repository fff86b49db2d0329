import { expect, it } from 'vitest'
import { caseOf, contentOf, failedCase, reportOf } from '../../test/fixtures/report.js'
import type { ReportCase } from '../report/index.js'
import { comparedWith } from './against.js'
import { compareReports } from './compare.js'
import { mergeReports } from './merge.js'

const run = (make: (more: Partial<ReportCase>) => ReportCase, version: string) =>
  Array.from({ length: 8 }, (_, at) => make({ path: `${at}.json`, sha256: contentOf(`${version} ${at}`) }))
const knownCase = (more: Partial<ReportCase>): ReportCase => {
  const failed = failedCase(more)
  return { ...failed, result: 'known', reasons: failed.reasons.map((reason) => ({ ...reason, known: true })) }
}

const old = { from: 'main.json', report: reportOf(run(caseOf, 'a')) }
const worse = comparedWith(reportOf(run(knownCase, 'b')), old, 7)

it('a check whose failures are all known fails with its own exit code if it is worse than the report', () => {
  expect(worse).toMatchObject({ verdict: 'failed', exit: 7, reference: { comparison: { verdict: 'worse' } } })
  expect(worse.line).toBe(
    'failed: worse by content: of 8 changed transcripts 8 now fail, 0 no longer do; no new failures in 8 transcripts (8 known from the baseline)',
  )
})

it('a check that fails by itself names that before a comparison that found nothing', () => {
  const failed = comparedWith(
    reportOf([failedCase({ path: '0.json' })]),
    { from: 'main.json', report: reportOf([caseOf({ path: '1.json' })]) },
    7,
  )
  expect(failed.line).toMatch(/^failed: 1 of 1 transcript is poor or worse; /)
})

it('a report that failed by its comparison does not contradict itself, and one that passed in spite of it does', () => {
  expect(mergeReports([{ from: 'b.json', report: worse }], { against: old })).toMatchObject({
    verdict: 'failed',
    exit: 7,
  })
  const after = { from: 'c.json', report: reportOf(run(knownCase, 'c')) }
  expect(compareReports({ from: 'b.json', report: worse }, after).causes.content.pairs).toBe(8)
  const passed = { from: 'b.json', report: { ...worse, verdict: 'passed' as const, exit: 0 } }
  expect(() => compareReports(passed, after)).toThrow('contradict themselves')
})

it('a merge refuses to be compared with a report whose cases were cut', () => {
  const cut = { ...old.report, cases: old.report.cases.slice(1) }
  const merge = () =>
    mergeReports([{ from: 'b.json', report: reportOf(run(knownCase, 'b')) }], { against: { ...old, report: cut } })
  expect(merge).toThrow(
    expect.objectContaining({ details: expect.arrayContaining(['main.json: total is 8, but there are 7 cases']) }),
  )
})

it('a run that was stopped keeps its exit code, whatever the comparison says', () => {
  const stopped = reportOf(run(knownCase, 'b'), { stoppedBy: 130 })
  expect(comparedWith(stopped, old, 100)).toMatchObject({ verdict: 'not judged', exit: 130 })
})

it('a merge has the same answers of attempts in any order of its reports', () => {
  const attempt = { outcome: 'strong', fails: false, annotator_version: '1.0.0', taxonomy_version: '1' }
  const withAnswers = (from: 'asked' | 'cached') => {
    const answers = [from, from].map((each) => ({ ...attempt, from: each }))
    return { from, report: reportOf(run((more) => caseOf({ ...more, votes: ['strong', 'strong'], answers }), 'a')) }
  }
  const [one, other] = [withAnswers('asked'), withAnswers('cached')]
  expect(mergeReports([one, other]).cases).toEqual(mergeReports([other, one]).cases)
})

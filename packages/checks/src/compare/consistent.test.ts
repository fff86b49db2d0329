import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import type { CheckError } from '../check-error.js'
import { defaultPolicy } from '../policy/index.js'
import type { CheckReport, ReportCase } from '../report/index.js'
import { mergeReports } from './merge.js'

const refused = (...reports: CheckReport[]) => {
  const [first, ...others] = reports.map((report, at) => ({ from: `${at + 1}.json`, report }))
  try {
    if (first) mergeReports([first, ...others])
  } catch (error) {
    return error as CheckError
  }
  throw new Error('nothing was refused')
}

describe('reports that contradict themselves', () => {
  const whole = reportOf([caseOf({ path: 'a.json' }), failedCase({ path: 'b.json' }), missingCase({ path: 'c.json' })])
  const unreadCase = missingCase({ gap: { why: 'incomplete', detail: 'line 9 is cut', temporary: false } })
  const shard = { numbers: [1], count: 1, total: 3, own_limits: [], merged_limits: [] }
  const one = (change: Partial<ReportCase>) => ({
    ...whole,
    cases: whole.cases.map((each, at) => (at === 1 ? { ...each, ...change } : each)),
  })

  it.each<[string, CheckReport, string]>([
    ['a case was removed', { ...whole, cases: whole.cases.slice(0, 2) }, 'total is 3'],
    ['the total is another one', { ...whole, total: 4 }, 'total is 4'],
    ['the number of judged transcripts is another one', { ...whole, judged: 3 }, 'judged is 3'],
    ['the counts of results are others', { ...whole, results: { ...whole.results, failed: 0 } }, '0 failed'],
    ['a failure is called passed', one({ result: 'passed' }), 'does not follow'],
    [
      'a gap is called judged',
      { ...whole, cases: whole.cases.map((each) => ({ ...each, gap: null })) },
      'does not follow',
    ],
    [
      'a failed check is called passed',
      { ...whole, verdict: 'passed', exit: 0 },
      'the verdict is passed, but its cases give failed',
    ],
    [
      'a check without failure is called failed',
      { ...reportOf([caseOf()]), verdict: 'failed', exit: 100 },
      'verdict is failed',
    ],
    [
      'a check that could not judge is called passed',
      { ...reportOf([missingCase()]), verdict: 'passed', exit: 0 },
      'not judged',
    ],
    [
      'a check that could not judge has the exit code 0',
      { ...reportOf([missingCase()]), exit: 0 },
      'exit code of not judged is 0',
    ],
    [
      'a check of a file that may hold more transcripts is called passed',
      {
        ...reportOf([caseOf(), unreadCase], { policy: { ...defaultPolicy, minJudged: 0.1 } }),
        verdict: 'passed',
        exit: 0,
      },
      'its cases give not judged',
    ],
    ['a shard is larger than all shards', { ...whole, shard: { ...shard, total: 2, count: 2 } }, 'all shards hold 2'],
    [
      'all shards hold more than they say',
      { ...whole, shard: { ...shard, total: 4 } },
      'all shards hold 4 transcripts, found 3',
    ],
    ['a shard is beyond their number', { ...whole, shard: { ...shard, numbers: [3], count: 2 } }, 'shard 3 of 2'],
  ])('are refused with their name if %s', (_, report, what) => {
    const error = refused(report)
    expect([error.code, error.details.join('\n')]).toEqual([
      'contradictory_report',
      expect.stringContaining('1.json: '),
    ])
    expect(error.details.join('\n')).toContain(what)
  })

  it('are refused if a check ended before it could judge', () => {
    const error = { kind: 'x', message: 'No key.', details: [], hint: null }
    const ended = { ...reportOf([]), error }
    expect(refused(reportOf([caseOf()]), ended)).toMatchObject({
      code: 'ended_early',
      message: expect.stringContaining('2.json'),
    })
  })
})

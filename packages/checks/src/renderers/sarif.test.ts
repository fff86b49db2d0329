import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import Ajv from 'ajv-draft-04'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import type { Log, Run } from 'sarif'
import { describe, expect, it } from 'vitest'
import { hostileCase, hostileText } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { BaselineReport, CheckReport } from '../report/index.js'
import { sarif, uriOf } from './sarif.js'

const require = createRequire(import.meta.url)
const schema = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
addFormats(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')) as object)

/** The one run of a report, which is valid. */
function runOf(report: CheckReport): Run & { results: NonNullable<Run['results']> } {
  const log = JSON.parse([...sarif(report)].join('')) as Log
  expect(validate(log), JSON.stringify(validate.errors)).toBe(true)
  const [run] = log.runs
  if (!run?.results) throw new Error('There is no run with results.')
  return { ...run, results: run.results }
}

const baseline: BaselineReport = {
  ...{ path: 'baseline.json', missing: [], counts: { new: 0, worse: 0, same: 0, better: 0 }, edited: 0, sha256: null },
  ...{ stale: null, updated: false },
}
const forbidden = { rule: 'forbidden' as const, signal: 'unresolved', known: false }
const notificationsOf = (run: Run) => run.invocations?.[0]?.toolExecutionNotifications ?? []

describe('a SARIF report', () => {
  it('a SARIF report has a result for each broken rule and each signal of a failed transcript, at its place', () => {
    const run = runOf(reportOf([caseOf(), failedCase(), missingCase({ path: 'b.json' })]))
    expect(
      run.results.map(({ ruleId, level, locations }) => [ruleId, level, locations?.[0]?.physicalLocation]),
    ).toEqual([
      [
        'outcome',
        'error',
        { artifactLocation: { uri: 'conversations/order.json' }, region: { startLine: 1, startColumn: 1 } },
      ],
      [
        ...['signal/unresolved', 'error'],
        { artifactLocation: { uri: 'conversations/order.json' }, region: { startLine: 3, startColumn: 5 } },
      ],
    ])
    expect(run.results[1]?.message.text).toBe('“Order 7”: the signal unresolved fired: “I cannot help with that.”')
    for (const { ruleId, ruleIndex = -1 } of run.results) expect(run.tool.driver.rules?.[ruleIndex]?.id).toBe(ruleId)
  })

  it('marks a forbidden signal, and has a result for a missing required signal', () => {
    const required = { rule: 'required' as const, signal: 'greeted', known: false }
    const run = runOf(reportOf([failedCase({ reasons: [forbidden, required] })]))
    expect(run.results.map(({ ruleId, message }) => [ruleId, message.text])).toEqual([
      ['missing/greeted', '“Order 7”: the signal greeted is required and did not fire. Never answered.'],
      ['signal/unresolved', '“Order 7”: the signal unresolved is forbidden: “I cannot help with that.”'],
    ])
  })

  it('puts a result without a line at line 1, because GitHub refuses results without one', () => {
    const signals = [{ key: 'odd', evidence: 'Hm.', turn: 99, line: null, column: null }]
    const run = runOf(reportOf([failedCase({ line: null, column: null, signals })]))
    for (const { locations } of run.results) expect(locations?.[0]?.physicalLocation?.region).toEqual({ startLine: 1 })
  })

  it('marks new, worse and known findings if there is a baseline', () => {
    const knownCase = failedCase({ result: 'known', change: 'same', signals: [] })
    const worse = failedCase({ change: 'worse', before: 'mixed', signals: [] })
    const fresh = failedCase({ change: 'new', signals: [] })
    const run = runOf(reportOf([knownCase, worse, fresh], { baseline }))
    expect(run.results.map(({ level, baselineState }) => [level, baselineState])).toEqual([
      ['note', 'unchanged'],
      ['error', 'updated'],
      ['error', 'new'],
    ])
    expect(runOf(reportOf([worse])).results[0]).not.toHaveProperty('baselineState')
  })

  it('a SARIF report has warnings for warned transcripts, and no result for passed or ignored ones', () => {
    const vague = { outcome: 'indeterminate', votes: ['indeterminate'] }
    const run = runOf(
      reportOf([caseOf({ ...vague, result: 'warned' }), caseOf({ ...vague, result: 'ignored' }), caseOf()]),
    )
    expect(run.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([['outcome', 'warning']])
  })

  it('a SARIF report has notifications for gaps, and is successful only if the check could judge', () => {
    const run = runOf(
      reportOf([missingCase()], {
        baseline: { ...baseline, missing: [{ path: 'c.json', record: 1, part: 1, name: 'Old', outcome: 'poor' }] },
      }),
    )
    expect(notificationsOf(run).map(({ descriptor, level, message }) => [descriptor?.id, level, message.text])).toEqual(
      [
        ['not annotated', 'warning', '“Order 7”: not annotated: The service answered 503.'],
        ['not found', 'note', '“Old” is in the baseline and was not found.'],
      ],
    )
    expect(run.invocations?.[0]).toMatchObject({ executionSuccessful: false, exitCode: 75 })
    expect(runOf(reportOf([failedCase()])).invocations?.[0]).toMatchObject({ executionSuccessful: true, exitCode: 100 })
  })

  it('a SARIF report has a result for an exceeded rate at its first transcript, and a notification for an undecided one', () => {
    const rates = [{ of: { outcome: 'poor' as const }, max: 0.1 }]
    const cases = [caseOf({ path: 'a.json' }), caseOf({ path: 'b.json', outcome: 'poor' })]
    const run = runOf(reportOf(cases, { policy: { ...defaultPolicy, failOn: 'none', rates } }))
    expect(run.results).toMatchObject([
      {
        ruleId: 'rate',
        level: 'error',
        message: { text: 'poor or worse: 1 of 2, 50 %, at most 10 %: Order 7 (b.json): poor; “Went well.”' },
      },
    ])
    expect(run.results[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('b.json')
    const unsure = { ...defaultPolicy, rates: [{ of: { outcome: 'poor' as const }, max: 0.3 }], confidence: 0.95 }
    const few = runOf(reportOf(cases, { policy: unsure }))
    expect(notificationsOf(few).map(({ message }) => message.text)).toEqual([
      'poor or worse: 1 of 2, 50 %, too few to compare with 30 %',
    ])
  })

  it('keeps fingerprints when lines move or evidence changes, and changes them otherwise', () => {
    const printsOf = (...cases: CheckReport['cases']) =>
      runOf(reportOf(cases)).results.map(({ partialFingerprints }) => partialFingerprints?.['svcFinding/v1'])
    const signal = { key: 'unresolved', evidence: 'Other.', turn: 4, line: 9, column: 1 }
    const first = printsOf(failedCase())
    expect(printsOf(failedCase({ line: 7, signals: [signal] }))).toEqual(first)
    const all = [
      ...printsOf(failedCase(), failedCase({ record: 2 }), failedCase({ part: 2 }), failedCase({ path: 'b.json' })),
      ...printsOf(failedCase({ record: 3, signals: [signal, signal] })),
    ]
    expect(new Set(all).size).toBe(11)
  })

  it('a SARIF report has no more results than GitHub accepts, keeps the gravest, and counts the others', () => {
    const knownCase = failedCase({ result: 'known', signals: [] })
    const run = runOf(reportOf([...Array<typeof knownCase>(25_100).fill(knownCase), failedCase()]))
    expect(run.results).toHaveLength(25_000)
    expect(run.results.slice(-2).map(({ level }) => level)).toEqual(['error', 'error'])
    expect(notificationsOf(run)[0]?.message.text).toContain('102 results left out')
  }, 30_000)

  it('names the annotator and the versions', () => {
    const run = runOf(reportOf([failedCase()]))
    const versions = [{ annotator_version: '1.0.0', taxonomy_version: '1' }]
    expect(run.properties).toMatchObject({ annotator: 'structural', versions, verdict: 'failed' })
    expect(run.results[0]?.properties).toMatchObject({ annotator: 'structural', annotator_version: '1.0.0' })
  })

  it('a SARIF report is valid for any content, and nothing in a message is a link or a place for an argument', () => {
    fc.assert(
      fc.property(hostileCase, (each) => {
        const run = runOf(reportOf([each], { annotator: each.name, baseline }))
        const texts = [...run.results, ...notificationsOf(run), ...(run.tool.driver.rules ?? [])].map((one) =>
          'message' in one ? one.message.text : (one as { shortDescription: { text: string } }).shortDescription.text,
        )
        for (const text of texts) {
          expect(text).not.toContain('](')
          expect(text?.replace(/\{\{|\}\}/g, '')).not.toMatch(/[{}]/)
        }
      }),
    )
  })
})

describe('a path as a URI', () => {
  it.each([
    ['conversations/order 7.json', 'conversations/order%207.json'],
    ['a#b?.json', 'a%23b%3F.json'],
    ['conversations/or\\der.json', 'conversations/or%5Cder.json'],
    ['C:/conversations/a.json', 'file:///C:/conversations/a.json'],
    ['/tmp/ä.json', 'file:///tmp/%C3%A4.json'],
    ['a:b.json', 'a%3Ab.json'],
    ['../up/100%.json', '../up/100%25.json'],
  ])('%s is %s', (path, uri) => {
    expect(uriOf(path)).toBe(uri)
  })

  it('a path as a URI is a reference without a scheme, a query or a fragment of its own, and leads back to the path', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const uri = uriOf(`a/${text}`)
        expect(uri).toMatch(/^[\w\-.!~*'()%/]*$/)
        if (!/\p{Surrogate}/u.test(text)) expect(decodeURIComponent(uri)).toBe(`a/${text}`)
      }),
    )
  })
})

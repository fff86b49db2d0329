import { cut, escapeLine, escapeLines } from '@svc/text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { hostileCase } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { type Command, commandsIn } from '../../test/fixtures/report-runner.js'
import { defaultPolicy } from '../policy/in-force.js'
import { type CheckReport, caseTitle, type ReportCase } from '../report/index.js'
import { github, longestSummary, stepSummary } from './github.js'

const commandsOf = (report: CheckReport): Command[] => commandsIn([...github(report)].join(''))

const titlesOf = (commands: Command[], name: string) =>
  commands.flatMap((each) => (each.name === name ? [each.properties.title] : []))

describe('a report for GitHub', () => {
  it('a report for GitHub has an error for a failed transcript at the line of its signal, and warnings for unjudged ones', () => {
    const vague = caseOf({ result: 'warned', outcome: 'indeterminate', path: 'd.json' })
    expect(commandsOf(reportOf([caseOf(), vague, failedCase(), missingCase({ path: 'c.json', line: null })]))).toEqual([
      {
        name: 'error',
        properties: { file: 'conversations/order.json', line: '3', col: '5', title: 'poor: Order 7' },
        data: 'the outcome is poor\nunresolved: “I cannot help with that.” (conversations/order.json:3:5)\nNever answered.',
      },
      {
        name: 'warning',
        properties: { file: 'c.json', title: 'not judged: Order 7' },
        data: 'not annotated: The service answered 503.',
      },
      {
        name: 'warning',
        properties: { file: 'd.json', line: '1', col: '1', title: 'indeterminate: Order 7' },
        data: 'the outcome is indeterminate\nWent well.',
      },
    ])
  })

  it('a report for GitHub is empty if everything passed or is known from the baseline', () => {
    expect([...github(reportOf([caseOf(), failedCase({ result: 'known' })]))]).toEqual([])
  })

  it('points at the signal that fails the transcript', () => {
    const signals = [
      { key: 'unresolved', evidence: 'x', turn: 1, line: 2, column: 1 },
      { key: 'rude', evidence: 'y', turn: 2, line: 8, column: 3 },
    ]
    const reasons = [{ rule: 'forbidden' as const, signal: 'rude', known: false }]
    const [command] = commandsOf(reportOf([failedCase({ signals, reasons })]))
    expect(command?.properties).toMatchObject({ line: '8', col: '3' })
  })

  it('names no file for transcripts from standard input', () => {
    expect(commandsOf(reportOf([failedCase({ path: '-' })]))[0]?.properties).toEqual({ title: 'poor: Order 7' })
  })

  it('shows the worst first, and of more than ten of a kind nine and how many more there are', () => {
    const cases = [
      ...Array.from({ length: 12 }, (_, at) => failedCase({ name: `P${at}` })),
      failedCase({ outcome: 'critical', name: 'C' }),
      ...Array.from({ length: 10 }, (_, at) => missingCase({ name: `M${at}` })),
    ]
    const commands = commandsOf(reportOf(cases))
    const names = ['critical: C', ...Array.from({ length: 8 }, (_, at) => `poor: P${at}`), 'svc check: and 4 more']
    expect(titlesOf(commands, 'error')).toEqual(names)
    expect(titlesOf(commands, 'warning')).toEqual(Array.from({ length: 10 }, (_, at) => `not judged: M${at}`))
  })

  it('a report for GitHub has an error for an exceeded rate, and a warning for an undecided one', () => {
    const policy = {
      ...defaultPolicy,
      failOn: 'none' as const,
      rates: [{ of: { outcome: 'poor' as const }, max: 0.3 }],
    }
    const cases = [caseOf(), caseOf({ outcome: 'poor' })]
    const [failing] = commandsOf(reportOf(cases, { policy }))
    expect(failing).toMatchObject({
      name: 'error',
      data: 'poor or worse: 1 of 2, 50 %, at most 30 %\nOrder 7 (conversations/order.json): poor; “Went well.”',
    })
    const [end, vague] = commandsOf(reportOf(cases, { policy: { ...policy, confidence: 0.95 } }))
    expect(end).toMatchObject({ name: 'error', properties: { title: 'svc check: could not judge' } })
    expect(vague).toMatchObject({ name: 'warning', properties: { title: 'rate cannot tell' } })
  })

  it('a report for GitHub has messages within the limit of GitHub', () => {
    const signals = Array.from({ length: 20 }, (_, at) => ({
      key: `s${at}`,
      evidence: '🙂'.repeat(900),
      turn: 1,
      line: 1,
      column: 1,
    }))
    const [command] = commandsOf(reportOf([failedCase({ signals })]))
    expect(command?.data.length).toBeLessThanOrEqual(4096)
    expect(command?.data).not.toMatch(/\p{Surrogate}/u)
  })

  it('a report for GitHub is one command for each transcript and no other, whatever a service, a file or a path holds', () => {
    const isShown = ({ result }: ReportCase) => ['failed', 'not judged', 'warned'].includes(result)
    fc.assert(
      fc.property(fc.array(hostileCase, { maxLength: 4 }), (cases) => {
        const report = reportOf(cases, { annotator: 'x' })
        const text = [...github(report)].join('')
        const commands = commandsIn(text)
        expect(text.split('\n')).toHaveLength(commands.length + 1)
        expect(commands).toHaveLength(
          cases.filter(isShown).length + (report.verdict === 'not judged' ? 1 : 0) + report.notes.length,
        )
        for (const { name, properties } of commands) {
          expect(['error', 'warning']).toContain(name)
          expect(Object.keys(properties).every((key) => ['file', 'line', 'col', 'title'].includes(key))).toBe(true)
        }
        const failed = cases.filter(({ result }) => result === 'failed')
        const errors = commands.filter(({ name }) => name === 'error')
        for (const [at, each] of failed.entries()) {
          const { properties, data } = errors[at] ?? { properties: {}, data: '' }
          const title = escapeLine(cut(`${each.outcome}: ${caseTitle(each)}`, 200))
          expect(properties).toMatchObject({ ...(each.path !== '-' && { file: escapeLines(each.path) }), title })
          for (const { evidence } of each.signals)
            expect(data).toContain(escapeLines(evidence.replaceAll('\r\n', '\n')).replace(/^\s*\\x3a/, ''))
        }
      }),
    )
  })
})

describe('printed text', () => {
  it('never contains a workflow command, whatever its content', () => {
    fc.assert(
      fc.property(hostileCase, ({ name, path, votes }) => {
        for (const text of [name, path, ...votes]) {
          expect(commandsIn(`  ${escapeLine(text)}\n`)).toEqual([])
          expect(commandsIn(escapeLines(text))).toEqual([])
        }
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('a step summary', () => {
  it('a step summary is the Markdown report on a line of its own, in so many bytes', () => {
    const cases = Array.from({ length: 400 }, () => failedCase({ outcome_notes: '🙂'.repeat(499) }))
    const report = reportOf(cases)
    const page = [...stepSummary(report, longestSummary)].join('')
    expect(page.startsWith('\n## svc check: failed')).toBe(true)
    expect(Buffer.byteLength(page)).toBeLessThan(longestSummary)
    for (const room of [0, 1, 2, 500, 300_000]) {
      const part = [...stepSummary(report, room)].join('')
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(room)
      expect(part).not.toContain('\ufffd')
    }
    expect([...stepSummary(report, 300_000)].join('')).toMatch(/- and \d+ more\n\nLeft out, for/)
  })
})

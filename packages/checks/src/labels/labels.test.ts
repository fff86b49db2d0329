import { describe, expect, it } from 'vitest'
import { caseOf, contentOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import type { CheckError } from '../check-error.js'
import type { CheckReport } from '../report/index.js'
import { labelFigures } from './figures.js'
import { type Label, labelsIn } from './label-file.js'
import { sampleReport } from './sample.js'

const turns = [{ role: 'user', content: 'Hello?', line: null, column: null }]

/** A report of so many transcripts that fail, and that pass. */
const report = (failing: number, passing: number): CheckReport =>
  reportOf([
    ...Array.from({ length: failing }, (_, at) => failedCase({ path: `failed-${at}.json`, turns })),
    ...Array.from({ length: passing }, (_, at) => caseOf({ path: `passed-${at}.json`, turns })),
  ])

const label = (more: Partial<Label> = {}): Label => ({
  ...{ schema: 'svc/label@1', sha256: contentOf('a'), label: 'good', stratum: null, by: 'Jo' },
  at: '2026-11-29T10:00:00.000Z',
  ...more,
})

/** Labels of a sample; `wordOf` says what a person says about each. */
const labelsOf = (
  of: CheckReport,
  wordOf: (stratum: string, nth: number) => Label['label'],
  more: Partial<Label> = {},
) => {
  const counts: Record<string, number> = {}
  return sampleReport(of).cases.map(({ case: { sha256 }, stratum }) => {
    counts[stratum.name] = (counts[stratum.name] ?? 0) + 1
    return label({ sha256: sha256 ?? '', stratum, label: wordOf(stratum.name, counts[stratum.name] ?? 0), ...more })
  })
}

const named = (labels: readonly Label[]) => ({ from: 'labels.jsonl', labels })

const problemsOf = (text: string): readonly string[] => {
  try {
    labelsIn(text, 'labels.jsonl')
    return []
  } catch (error) {
    return (error as CheckError).details
  }
}

const lines = (...all: object[]) => all.map((each) => JSON.stringify(each)).join('\n')

describe('a file of labels', () => {
  it('gives the labels in its order, without empty lines', () => {
    const [one, other] = [label(), label({ by: 'Kim', note: 'rude' })]
    expect(labelsIn(`${lines(one)}\r\n\n${lines(other)}\n`, 'labels.jsonl')).toEqual([one, other])
  })

  it.each([
    ['another schema', { ...label(), schema: 'svc/label@2' }, '/schema expected "svc/label@1"; another version'],
    ['an unknown label', { ...label(), label: 'fine' }, '/label expected one of good, bad, unsure'],
    ['a hash of another form', { ...label(), sha256: 'abc' }, '/sha256 expected a SHA-256 in hex'],
    ['no person', { ...label(), by: '' }, '/by expected a name'],
    ['no time', { ...label(), at: 'yesterday' }, '/at expected an ISO 8601 time'],
    ['a part of no sample', { ...label(), stratum: { name: 'failed' } }, '/stratum/of expected a text'],
    ['no object', ['a'], 'expected an object'],
  ])('names the line of %s', (_, line, problem) => {
    expect(problemsOf(`${lines(label())}\n${JSON.stringify(line)}`)).toEqual(
      expect.arrayContaining([expect.stringContaining(`labels.jsonl:2: ${problem}`)]),
    )
  })

  it('names a line that is no JSON', () => {
    expect(problemsOf('good')).toEqual(['labels.jsonl:1: expected an object'])
  })

  it('names lines that contradict each other', () => {
    expect(problemsOf(lines(label(), label({ label: 'bad' })))).toEqual([
      'labels.jsonl:2: contradicts line 1: Jo says bad, and good at the same time',
    ])
    expect(problemsOf(lines(label(), label({ by: 'Kim', label: 'bad' })))).toEqual([])
  })

  it('names a sample that is given with two sizes', () => {
    const stratum = { name: 'failed' as const, of: 's', total: 40, drawn: 30 }
    const other = label({ stratum: { ...stratum, total: 50 }, by: 'Kim' })
    expect(problemsOf(lines(label({ stratum }), other))).toEqual([
      'labels.jsonl: the sample s, failed is given as 30 of 40, and as 30 of 50',
    ])
  })
})

describe('a sample of a report', () => {
  it('has as many failing as passing transcripts, in an order that does not tell them apart', () => {
    const { cases } = sampleReport(report(50, 200))
    const names = cases.map(({ stratum }) => stratum.name)
    expect(names.filter((name) => name === 'failed')).toHaveLength(30)
    expect(names).toHaveLength(60)
    expect(names.slice(0, 30).filter((name) => name === 'failed').length).toBeGreaterThan(8)
    expect(names.slice(0, 30).filter((name) => name === 'failed').length).toBeLessThan(22)
    expect(cases[0]?.stratum).toMatchObject({ drawn: 30 })
    expect(new Set(cases.map(({ stratum }) => `${stratum.name} ${stratum.total}`))).toEqual(
      new Set(['failed 50', 'passed 200']),
    )
  })

  it('is the same for the same seed, and another one for another', () => {
    const of = (seed?: string) => sampleReport(report(50, 200), { seed }).cases.map((each) => each.case.path)
    expect(of()).toEqual(of('0'))
    expect(of('1')).not.toEqual(of())
  })

  it('takes all of a part that is smaller, equal transcripts once, and none without a verdict', () => {
    const same = { sha256: contentOf('same'), turns }
    const cases = [
      failedCase({ path: 'a.json', ...same }),
      failedCase({ path: 'b.json', ...same, occurrence: 2 }),
      missingCase({ path: 'c.json' }),
      caseOf({ path: 'd.json', result: 'warned', outcome: 'indeterminate', turns }),
      caseOf({ path: 'e.json', turns }),
    ]
    const { cases: drawn } = sampleReport(reportOf(cases))
    expect(
      drawn.map(({ stratum: { of: _, ...stratum } }) => stratum).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ).toEqual([
      { name: 'failed', total: 1, drawn: 1 },
      { name: 'passed', total: 1, drawn: 1 },
    ])
  })

  it('counts a failure that the baseline knows as a failure', () => {
    const knownCase = failedCase({
      result: 'known',
      turns,
      reasons: [{ rule: 'outcome', outcome: 'poor', known: true }],
    })
    expect(sampleReport(reportOf([knownCase])).cases[0]?.stratum.name).toBe('failed')
  })

  it('is refused for a report without turns, and for one without verdicts', () => {
    expect(() => sampleReport(reportOf([caseOf()]))).toThrow('The report has no turns to show.')
    expect(() => sampleReport(reportOf([missingCase()]))).toThrow('no transcript that passes or fails')
  })
})

describe('labels beside a report', () => {
  const whole = report(50, 200)
  const usual = labelsOf(whole, (stratum, nth) =>
    stratum === 'failed' ? (nth <= 24 ? 'bad' : 'good') : nth <= 3 ? 'bad' : 'good',
  )

  it('give rates if they are of a sample that the report has whole', () => {
    const figures = labelFigures(whole, named(usual))
    expect(figures).toMatchObject({
      ...{ transcripts: 60, chosen: 0, unknown: 0, missing: { failed: 0, passed: 0 }, notes: [] },
      table: {
        failed: { good: 6, bad: 24, unsure: 0 },
        passed: { good: 27, bad: 3, unsure: 0 },
        neither: { good: 0, bad: 0, unsure: 0 },
      },
    })
    expect(figures.rates?.bad.share).toBeCloseTo(0.2 * 0.8 + 0.8 * 0.1)
    expect(figures.rates?.true_positive).toBeCloseTo(0.16 / 0.24)
    expect(figures.rates?.tells_apart).toBe(true)
  })

  it('give no rates if a person chose the transcripts', () => {
    const chosen = usual.map((each) => ({ ...each, stratum: null }))
    expect(labelFigures(whole, named(chosen))).toMatchObject({ rates: null, missing: null, chosen: 60 })
  })

  it('say how many are missing in a part with fewer than 30', () => {
    const some = usual.filter(({ stratum }, at) => stratum?.name === 'failed' || at % 2 === 0)
    const { rates, missing } = labelFigures(whole, named(some))
    const passed = some.filter(({ stratum }) => stratum?.name === 'passed').length
    expect([rates, missing]).toEqual([null, { failed: 0, passed: 30 - passed }])
    const unsure = usual.map((each, at) => (at === 0 ? { ...each, label: 'unsure' as const } : each))
    expect(labelFigures(whole, named(unsure)).rates).toBeNull()
  })

  it('need no more than there are', () => {
    const small = report(3, 100)
    const all = labelsOf(small, (stratum) => (stratum === 'failed' ? 'bad' : 'good'))
    expect(labelFigures(small, named(all)).rates).toMatchObject({ true_positive: 1, true_negative: 1 })
  })

  it('are named if the report does not have their content, and then give no rates', () => {
    const { rates, unknown, notes } = labelFigures(report(50, 10), named(usual))
    expect([rates, unknown > 0]).toEqual([null, true])
    expect(notes).toEqual([expect.stringMatching(/^\d+ labels of content that the report does not have: [0-9a-f]{12}/)])
  })

  it('have a row for transcripts without a verdict', () => {
    const cases = whole.cases.map((each, at) =>
      at === 0 ? missingCase({ path: each.path, sha256: each.sha256, turns }) : each,
    )
    const again = named(labelsOf(whole, () => 'good').filter(({ sha256 }) => sha256 === cases[0]?.sha256))
    const table = { good: again.labels.length, bad: 0, unsure: 0 }
    expect(labelFigures(reportOf(cases), again).table.neither).toEqual(table)
  })

  it('of another annotator have their own rates over the same labels', () => {
    const other = reportOf(whole.cases.map(({ path }) => caseOf({ path, turns })))
    const { rates } = labelFigures(other, named(usual))
    expect(rates).toMatchObject({ true_positive: 0, true_negative: 1, tells_apart: null })
    expect(rates?.bad).toEqual(labelFigures(whole, named(usual)).rates?.bad)
  })

  it('show the agreement of persons, and count a disagreement as unsure', () => {
    const kim = usual.slice(0, 10).map((each, at) => ({
      ...each,
      by: 'Kim',
      label: at === 0 ? ('unsure' as const) : each.label,
    }))
    const { people, table } = labelFigures(whole, named([...usual, ...kim]))
    expect(people).toEqual({ names: ['Jo', 'Kim'], agreement: [{ a: 'Jo', b: 'Kim', common: 10, same: 9 }] })
    expect(table.failed.unsure + table.passed.unsure).toBe(1)
  })

  it('take the latest label of a person, and name the transcript', () => {
    const [first, ...others] = usual as [Label, ...Label[]]
    const later = { ...first, label: 'unsure' as const, at: '2026-11-30T10:00:00.000Z' }
    const { table, notes } = labelFigures(whole, named([later, first, ...others]))
    expect(table.failed.unsure + table.passed.unsure).toBe(1)
    expect(notes).toEqual([
      `1 transcript labelled again by the same person, whose latest label counts: ${first.sha256.slice(0, 12)} by Jo`,
    ])
  })
})

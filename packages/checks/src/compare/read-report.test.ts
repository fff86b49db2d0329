import { escapeJson } from '@svc/text'
import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { baselineOf } from '../../test/fixtures/report-arbitraries.js'
import type { CheckError } from '../check-error.js'
import { readReport } from './read-report.js'

/** Reads a document, from a file or from standard input. */
const read = (content: string | Uint8Array, path = 'r.json') => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return readReport({ readFile: async () => bytes, readStdin: async () => bytes }, path)
}
const refusal = async (document: unknown) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const error = await read(text).catch((error: unknown) => error)
  return error as CheckError
}
const detailsOf = async (document: unknown) => (await refusal(document)).details

const entry = { path: 'gone.json', record: 1, part: 1, name: 'Gone', outcome: 'poor' }
const turns = [{ role: 'user', content: 'hi', line: 2, column: 1 }]
const report = reportOf(
  [caseOf({ turns }), failedCase({ record: 2, change: 'new', before: null }), missingCase({ record: 3 })],
  {
    losses: [{ code: 'dropped', what: 'image part', why: 'the service stores text', count: 2 }],
    redacted: { emails: 1 },
    baseline: baselineOf('base.json', [entry]),
    policy: {
      ...{ ...report0().policy, confidence: 0.9, rates: [{ of: { signal: 'loop' }, max: 0.1 }] },
      overrides: [{ files: ['old/**'], failOn: 'critical', forbidden: ['loop'] }],
    },
  },
)
function report0() {
  return reportOf([caseOf()])
}

describe('a report', () => {
  it('a report is read unchanged, from a file or from standard input', async () => {
    for (const each of [report, report0()]) {
      expect(await read(escapeJson(each, 2))).toEqual(each)
      expect(await read(escapeJson(each), '-')).toEqual(each)
    }
  })

  it('keeps fields that this version does not know', async () => {
    const more = { ...report, mood: 3, cases: report.cases.map((each) => ({ ...each, tone: 'kind' })) }
    expect(await read(JSON.stringify(more))).toEqual(more)
  })

  it('a report is read after a redirect by a Windows shell', async () => {
    const units = [...`\ufeff${JSON.stringify(report0())}`].map((unit) => unit.charCodeAt(0))
    expect(await read(Uint8Array.from(units.flatMap((unit) => [unit & 255, unit >> 8])))).toEqual(report0())
  })

  it('a report is read with ten thousand cases', async () => {
    const cases = Array.from({ length: 10_000 }, (_, at) => failedCase({ record: at + 1 }))
    expect((await read(JSON.stringify(reportOf(cases)))).total).toBe(10_000)
  })
})

describe('an invalid report', () => {
  const invalid = [
    ['', 'r.json:1:1 expected a value'],
    ['{"schema": "svc/check@2",\n "verdict": ', 'r.json:2:13'],
    [`${JSON.stringify(report0())}\n${JSON.stringify(report0())}`, 'r.json:2:1'],
    ['[]', 'r.json:1:1 expected a report, an object whose schema is "svc/check@2"'],
    ['null', 'r.json:1:1 expected a report, an object whose schema is "svc/check@2"'],
    ['{"messages": []}', 'r.json:1:1 expected a report, an object whose schema is "svc/check@2"'],
    ['{"schema": 7}', 'r.json:1:12 /schema expected "svc/check@2"'],
    [
      '{\n  "schema": "svc/upload-summary@1"}',
      'r.json:2:13 /schema expected "svc/check@2", found "svc/upload-summary@1": this is not the report of a check',
    ],
    ['{"schema": "svc/check@1"}', 'found "svc/check@1": another version of svc wrote this'],
    ['{"schema": "svc/error@1"}', 'found "svc/error@1": the check that wrote this failed before it could judge'],
  ] as const
  it.each(invalid.map(([text, said]) => [text.length > 80 ? 'two reports' : text, text, said] as const))(
    'an invalid report is refused with its place: %s',
    async (_, text, said) => {
      const { code, message, details, hint } = await refusal(text)
      expect([code, message]).toEqual(['invalid_report', 'r.json: the report cannot be used.'])
      expect(details).toEqual([expect.stringContaining(said)])
      expect(hint).toContain('svc check')
    },
  )

  it('reports every invalid place', async () => {
    const wrong = { ...report0(), total: -1, annotator: null, rates: {} }
    expect((await detailsOf(wrong)).map((line) => line.replace(/^r\.json:\d+:\d+ /, ''))).toEqual([
      '/annotator expected a text',
      '/total expected a whole number from 0',
      '/rates expected a list of rates',
    ])
  })

  it.each([
    ['/cases/0/result expected one of failed, not judged, known, warned, ignored, passed', { result: 'good' }],
    ['/cases/0/record expected a whole number from 1', { record: 0 }],
    ['/cases/0/reasons/0 expected a rule that is broken, by an outcome or by a signal', { reasons: [{ rule: 'x' }] }],
    ['/cases/0/gap expected an object', { gap: 'none' }],
    ['/cases/0/outcome expected a text or null', { outcome: 5 }],
    ['/cases/0/signals/0/evidence expected a text', { signals: [{ key: 'k', turn: 1, line: 1, column: 1 }] }],
    [
      '/cases/0/signals/0/turn expected a whole number or null',
      { signals: [{ ...failedCase().signals[0], turn: '1' }] },
    ],
    ['/cases/0/change expected one of worse, new, better, same, or null', { change: 'other' }],
  ])('says of a case what is wrong: %s', async (said, change) => {
    const [line] = await detailsOf({ ...report0(), cases: [{ ...caseOf(), ...change }] })
    expect(line).toMatch(/^r\.json:1:\d+ /)
    expect(line?.replace(/^r\.json:\d+:\d+ /, '')).toBe(said)
  })

  it.each([
    ['/policy/failOn expected one of strong, mixed, poor, critical, none', { failOn: 'por' }],
    ['/policy/minJudged expected a share from 0 to 1', { minJudged: '5%' }],
    ['/policy/rates/0/of expected an object of an outcome or of a signal', { rates: [{ of: {}, max: 1 }] }],
    ['/policy/custom/rules expected a list of texts', { custom: { sha256: '' } }],
    ['/policy/overrides/0/files expected a list of patterns', { overrides: [{}] }],
  ])('says of the policy what is wrong: %s', async (said, change) => {
    const [line] = await detailsOf({ ...report0(), policy: { ...report0().policy, ...change } })
    expect(line?.replace(/^r\.json:\d+:\d+ /, '')).toContain(said)
  })

  it('reads a policy with keys of a later version, and texts that a file must not have', async () => {
    const policy = { ...report0().policy, mood: 1, forbidden: [''], tags: { team: '' } }
    expect(await read(JSON.stringify({ ...report0(), policy }))).toMatchObject({ policy })
  })

  it('reports many invalid places in a few lines', async () => {
    const cases = Array.from({ length: 1_000 }, () => ({ ...caseOf(), name: 1 }))
    const details = await detailsOf({ ...report0(), cases })
    expect([details.length, details.at(-1)]).toEqual([5, expect.stringMatching(/ a text; and 995 more places$/)])
  })

  it('an invalid report is reported if the file does not exist', async () => {
    const readFile = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }))
    await expect(readReport({ readFile, readStdin: readFile }, 'r.json')).rejects.toMatchObject({
      ...{ code: 'unreadable_file', message: 'r.json: there is no such report.' },
    })
  })
})

import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { diffReports } from '../../../checks/src/compare/diff.js'
import { defaultPolicy } from '../../../checks/src/policy/in-force.js'
import { type ReportCase, reportShape } from '../../../checks/src/report/index.js'
import { failedCase, missingCase, reportOf } from '../../../checks/test/fixtures/report.js'
import { documents, type Inside, insideCheck, insideDiff } from './documents.js'
import { selectorOf } from './fields.js'

interface JsonSchema {
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
}

const projects = (...data: object[]) => ({
  schema: 'svc/projects@1',
  data,
  pagination: { page: 1, limit: 20, total: 2 },
})

const sorted = (inside: Inside) =>
  Object.fromEntries(
    Object.entries(inside).map(([path, names]) => [path, names === 'any' ? ['any'] : [...names].sort()]),
  )

describe('--fields', () => {
  it('selects fields in each row of a list, and keeps the rest of the document', () => {
    const select = selectorOf('id, name', 'projects list')
    expect(select(projects({ id: 'a', name: 'A', more: 1 }, { id: 'b', name: 'B' }))).toEqual(
      projects({ id: 'a', name: 'A' }, { id: 'b', name: 'B' }),
    )
  })

  it('selects nested fields with dots, also through arrays', () => {
    const line = {
      schema: 'svc/upload@1',
      result: 'uploaded',
      transcript: { id: 'tr_1', name: 'x' },
      losses: [{ code: 'c', n: 1 }],
    }
    expect(selectorOf('transcript.id,losses.code', 'upload')(line)).toEqual({
      schema: 'svc/upload@1',
      transcript: { id: 'tr_1' },
      losses: [{ code: 'c' }],
    })
    expect(selectorOf('transcript.id,transcript', 'upload')(line)).toMatchObject({ transcript: line.transcript })
  })

  it('prints null for a field that a row lacks, so all rows have the same fields', () => {
    const failed = { schema: 'svc/upload@1', result: 'failed', error: {} }
    expect(selectorOf('result,transcript.id', 'upload')(failed)).toEqual({
      schema: 'svc/upload@1',
      result: 'failed',
      transcript: null,
    })
  })

  it('keeps the summary line of many items complete', () => {
    const summary = { schema: 'svc/upload-summary@1', uploaded: 3 }
    expect(selectorOf('result', 'upload')(summary)).toBe(summary)
  })

  it('refuses a field that the command never prints before it starts, and lists the known fields', () => {
    const refused = () => selectorOf('reslut', 'upload')
    expect(refused).toThrow('Unknown field "reslut". Did you mean "result"?')
    expect(refused).toThrow(expect.objectContaining({ exit: 2, hint: expect.stringContaining('result, path, record') }))
    expect(() => selectorOf(' , ', 'upload')).toThrow(
      expect.objectContaining({ exit: 2, hint: expect.stringContaining('transcript') }),
    )
  })

  it('accepts an additional field of the service only if it is in the response', () => {
    const rows = projects({ id: 'a', name: 'A', executive_summary: 's' }, { id: 'b', name: 'B' })
    expect(selectorOf('executive_summary', 'projects list')(rows)).toEqual(
      projects({ executive_summary: 's' }, { executive_summary: null }),
    )
    expect(() => selectorOf('nope', 'projects list')(rows)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('executive_summary') }),
    )
    expect(() => selectorOf('constructor', 'projects list')(rows)).toThrow('Unknown field')
    expect(selectorOf('id', 'projects list')(projects())).toEqual(projects())
  })

  it('selects the fields of an unlisted document by its content', () => {
    expect(selectorOf('a', 'new')({ a: 1, b: 2 })).toEqual({ a: 1 })
    expect(() => selectorOf('c', 'new')({ a: 1 })).toThrow(expect.objectContaining({ hint: 'the fields are a' }))
  })

  it('lists the fields of the printed document, not of another flag', () => {
    expect(() => selectorOf('record', 'check')).toThrow(
      expect.objectContaining({
        message: 'Unknown field "record".',
        hint: expect.not.stringMatching(/record|annotation,|places/),
      }),
    )
    expect(selectorOf('path', 'check', { dryRun: true })({ schema: 'svc/annotation@1', path: 'a', x: 1 })).toEqual({
      schema: 'svc/annotation@1',
      path: 'a',
    })
    expect(() => selectorOf('verdict', 'check', { dryRun: true })).toThrow('Unknown field "verdict"')
  })

  it('refuses an unknown nested field before the command runs', () => {
    for (const command of ['check', 'report merge']) {
      expect(() => selectorOf('verdict,cases.nmae', command)).toThrow(
        expect.objectContaining({
          ...{ exit: 2, message: 'Unknown field "cases.nmae". Did you mean "cases.name"?' },
          hint: expect.stringMatching(/^the fields of cases are path, record, /),
        }),
      )
      expect(() => selectorOf('cases.signals.evidence.x', command)).toThrow(
        'The field "cases.signals.evidence" has no fields.',
      )
    }
    for (const [fields, said] of [
      ['cases.nope', 'Unknown field "cases.nope".'],
      ['cases.after.nmae', 'Unknown field "cases.after.nmae". Did you mean "cases.after.name"?'],
      ['before.verdict.x', 'The field "before.verdict" has no fields.'],
    ] as const) {
      expect(() => selectorOf(fields, 'report diff')).toThrow(expect.objectContaining({ exit: 2, message: said }))
    }
    const cases = [{ name: 'a', signals: [{ key: 'k', turn: 1 }], summary: { new: 1 } }]
    expect(
      selectorOf('outcomes.odd,cases.signals.key,cases.summary.new', 'check')({ schema: 'svc/check@1', cases }),
    ).toEqual({
      ...{ schema: 'svc/check@1', outcomes: null },
      cases: [{ signals: [{ key: 'k' }], summary: { new: 1 } }],
    })
  })

  it('lists exactly the fields of a check', () => {
    const found: Record<string, string[]> = {}
    const walk = (path: string, { anyOf, items, properties, ...rest }: JsonSchema): void => {
      for (const each of anyOf ?? []) walk(path, each)
      if (items) walk(path, items)
      for (const [name, each] of Object.entries(properties ?? {})) {
        found[path] = [...new Set([...(found[path] ?? []), name])].sort()
        walk(path === '' ? name : `${path}.${name}`, each)
      }
      if ('propertyNames' in rest) found[path] = ['any']
    }
    walk('', z.toJSONSchema(reportShape) as JsonSchema)
    for (const path of ['cases.summary', 'cases.usage']) found[path] = ['any']
    const { '': own = [], ...inside } = found
    expect(sorted(insideCheck)).toEqual(inside)
    expect(own).toEqual(['schema', ...(documents['svc/check@1']?.fields ?? [])].sort())
  })

  it('lists exactly the fields of a report diff', () => {
    const found: Record<string, string[]> = {}
    const walk = (path: string, value: unknown): void => {
      if (insideDiff[path] === 'any') found[path] = ['any']
      else if (Array.isArray(value)) for (const each of value) walk(path, each)
      else if (typeof value === 'object' && value !== null) {
        found[path] = [...new Set([...(found[path] ?? []), ...Object.keys(value)])].sort()
        for (const [name, each] of Object.entries(value)) walk(path === '' ? name : `${path}.${name}`, each)
      }
    }
    const [signal] = failedCase().signals
    const failed = failedCase({
      tags: { team: [] },
      signals: signal ? [{ ...signal, message: 'of a rule' }] : [],
      reasons: [...failedCase().reasons, { rule: 'forbidden', signal: 's', known: false }],
    })
    const report = (max: number, ...cases: ReportCase[]) => {
      const rates = [
        { of: { outcome: 'poor' as const }, max },
        { of: { signal: 's' }, max, by: 'team' },
      ]
      return reportOf(cases, { policy: { ...defaultPolicy, rates, tags: { team: 'team' } } })
    }
    const [one, other] = [report(0.1, failed), report(0.2, missingCase({ name: 'Another', tags: { team: [] } }))]
    for (const pair of [
      [one, other],
      [other, one],
    ] as const)
      walk('', diffReports(...pair))
    const { '': own = [], ...inside } = found
    expect(sorted(insideDiff)).toEqual(inside)
    expect(own).toEqual(['schema', ...(documents['svc/report-diff@1']?.fields ?? [])].sort())
  })

  it('accepts only the fields of the document that a flag selects', () => {
    expect(selectorOf('started_at', 'uploads list', { runs: true })({ run: 'a', started_at: 'b' })).toEqual({
      started_at: 'b',
    })
    expect(() => selectorOf('key', 'uploads list', { runs: true })).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining('occurrence') }),
    )
    expect(() => selectorOf('started_at', 'uploads list')).toThrow('Unknown field')
  })
})

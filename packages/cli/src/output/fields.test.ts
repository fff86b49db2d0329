import { describe, expect, it } from 'vitest'
import { compareReports } from '../../../checks/src/compare/index.js'
import { defaultPolicy } from '../../../checks/src/policy/in-force.js'
import type { ReportCase } from '../../../checks/src/report/index.js'
import { caseOf, failedCase, reportOf } from '../../../checks/test/fixtures/report.js'
import { documents, fieldsOf } from './documents.js'
import { selectorOf } from './fields.js'

const projects = (...data: object[]) => ({
  schema: 'svc/projects@1',
  data,
  pagination: { page: 1, limit: 20, total: 2 },
})

const sorted = (inside: Awaited<ReturnType<typeof fieldsOf>>['inside']) =>
  Object.fromEntries(
    Object.entries(inside).map(([path, names]) => [path, names === 'any' ? ['any'] : [...names].sort()]),
  )

describe('--fields', () => {
  it('selects fields in each row of a list, and keeps the rest of the document', async () => {
    const select = await selectorOf('id, name', 'projects list')
    expect(select(projects({ id: 'a', name: 'A', more: 1 }, { id: 'b', name: 'B' }))).toEqual(
      projects({ id: 'a', name: 'A' }, { id: 'b', name: 'B' }),
    )
  })

  it('selects nested fields with dots, also through arrays', async () => {
    const line = {
      schema: 'svc/upload@1',
      result: 'uploaded',
      transcript: { id: 'tr_1', name: 'x' },
      losses: [{ code: 'c', n: 1 }],
    }
    expect((await selectorOf('transcript.id,losses.code', 'upload'))(line)).toEqual({
      schema: 'svc/upload@1',
      transcript: { id: 'tr_1' },
      losses: [{ code: 'c' }],
    })
    expect((await selectorOf('transcript.id,transcript', 'upload'))(line)).toMatchObject({
      transcript: line.transcript,
    })
  })

  it('prints null for a field that a row lacks, so all rows have the same fields', async () => {
    const failed = { schema: 'svc/upload@1', result: 'failed', error: {} }
    expect((await selectorOf('result,transcript.id', 'upload'))(failed)).toEqual({
      schema: 'svc/upload@1',
      result: 'failed',
      transcript: null,
    })
  })

  it('keeps the summary line of many items complete', async () => {
    const summary = { schema: 'svc/upload-summary@1', uploaded: 3 }
    expect((await selectorOf('result', 'upload'))(summary)).toBe(summary)
  })

  it('refuses a field that the command never prints before it starts, and lists the known fields', async () => {
    const refused = () => selectorOf('reslut', 'upload')
    await expect(refused()).rejects.toThrow('Unknown field "reslut". Did you mean "result"?')
    await expect(refused()).rejects.toThrow(
      expect.objectContaining({ exit: 2, hint: expect.stringContaining('result, path, record') }),
    )
    await expect(selectorOf(' , ', 'upload')).rejects.toThrow(
      expect.objectContaining({ exit: 2, hint: expect.stringContaining('transcript') }),
    )
  })

  it('accepts an additional field of the service only if it is in the response', async () => {
    const rows = projects({ id: 'a', name: 'A', executive_summary: 's' }, { id: 'b', name: 'B' })
    expect((await selectorOf('executive_summary', 'projects list'))(rows)).toEqual(
      projects({ executive_summary: 's' }, { executive_summary: null }),
    )
    const nope = await selectorOf('nope', 'projects list')
    expect(() => nope(rows)).toThrow(expect.objectContaining({ hint: expect.stringContaining('executive_summary') }))
    const inherited = await selectorOf('constructor', 'projects list')
    expect(() => inherited(rows)).toThrow('Unknown field')
    expect((await selectorOf('id', 'projects list'))(projects())).toEqual(projects())
  })

  it('selects the fields of an unlisted document by its content', async () => {
    expect((await selectorOf('a', 'new'))({ a: 1, b: 2 })).toEqual({ a: 1 })
    const unlisted = await selectorOf('c', 'new')
    expect(() => unlisted({ a: 1 })).toThrow(expect.objectContaining({ hint: 'the fields are a' }))
  })

  it('lists the fields of the printed document, not of another flag', async () => {
    await expect(selectorOf('record', 'check')).rejects.toThrow(
      expect.objectContaining({
        message: 'Unknown field "record".',
        hint: expect.not.stringMatching(/record|annotation,|places/),
      }),
    )
    expect(
      (await selectorOf('path', 'check', { dryRun: true }))({ schema: 'svc/annotation@1', path: 'a', x: 1 }),
    ).toEqual({
      schema: 'svc/annotation@1',
      path: 'a',
    })
    await expect(selectorOf('verdict', 'check', { dryRun: true })).rejects.toThrow('Unknown field "verdict"')
  })

  it('refuses an unknown nested field before the command runs', async () => {
    for (const command of ['check', 'report merge']) {
      await expect(selectorOf('verdict,cases.nmae', command)).rejects.toThrow(
        expect.objectContaining({
          ...{ exit: 2, message: 'Unknown field "cases.nmae". Did you mean "cases.name"?' },
          hint: expect.stringMatching(/^the fields of cases are path, record, /),
        }),
      )
      await expect(selectorOf('cases.signals.evidence.x', command)).rejects.toThrow(
        'The field "cases.signals.evidence" has no fields.',
      )
    }
    for (const [fields, said] of [
      ['changes.nope', 'Unknown field "changes.nope".'],
      ['changes.new.nmae', 'Unknown field "changes.new.nmae". Did you mean "changes.new.name"?'],
      ['old.verdict.x', 'The field "old.verdict" has no fields.'],
    ] as const) {
      await expect(selectorOf(fields, 'report compare')).rejects.toThrow(
        expect.objectContaining({ exit: 2, message: said }),
      )
    }
    const cases = [{ name: 'a', signals: [{ key: 'k', turn: 1 }], summary: { new: 1 } }]
    expect(
      (await selectorOf('outcomes.odd,cases.signals.key,cases.summary.new', 'check'))({ schema: 'svc/check@2', cases }),
    ).toEqual({
      ...{ schema: 'svc/check@2', outcomes: null },
      cases: [{ signals: [{ key: 'k' }], summary: { new: 1 } }],
    })
  })

  it('lists exactly the fields of a comparison of reports', async () => {
    const { own: listed, inside: listedInside } = await fieldsOf(
      documents['svc/comparison@1'] ?? { by: [], fields: [] },
    )
    const fieldsByPath: Record<string, string[]> = {}
    const walk = (path: string, value: unknown): void => {
      if (Array.isArray(value)) for (const each of value) walk(path, each)
      else if (typeof value === 'object' && value !== null) {
        fieldsByPath[path] = [...new Set([...(fieldsByPath[path] ?? []), ...Object.keys(value)])].sort()
        for (const [name, each] of Object.entries(value)) walk(path === '' ? name : `${path}.${name}`, each)
      }
    }
    const content = (name: string) => ({ sha256: name.repeat(64) })
    const rules = { policy: { ...defaultPolicy, failOn: 'mixed' as const, maxDrop: 0.1 }, attempts: 2 }
    const run = { ended_at: '2026-11-25T08:00:00.000Z', commit: 'a1b2c3d' }
    const ofA = (...cases: ReportCase[]) => ({ from: 'a.json', report: reportOf(cases, run) })
    const ofB = (more: object, ...cases: ReportCase[]) => ({
      from: 'b.json',
      report: reportOf(cases, { ...run, ...more }),
    })
    const named = { external_id: 'c1' }
    walk(
      '',
      compareReports(ofA(caseOf({ ...content('a'), ...named })), ofB(rules, failedCase({ ...content('b'), ...named }))),
    )
    walk('', compareReports(ofA(caseOf(content('a'))), ofB({ policy: rules.policy }, failedCase(content('b')))))
    walk('', compareReports(ofA(caseOf(content('a'))), ofB({}, caseOf({ ...content('b'), path: 'other.json' }))))
    const label = (by: string) => ({
      ...{
        schema: 'svc/label@1' as const,
        ...content('a'),
        label: 'good' as const,
        by,
        at: '2026-11-25T08:00:00.000Z',
      },
      stratum: { name: 'passed' as const, of: 'sample', total: 1, drawn: 1 },
    })
    const labels = { from: 'labels.jsonl', labels: [label('Jo'), label('Kim')] }
    walk('', compareReports(ofA(caseOf(content('a'))), ofB({ commit: 'b' }, caseOf(content('a'))), { labels }))
    const { '': topLevel = [], ...inside } = fieldsByPath
    expect(sorted(listedInside)).toEqual(inside)
    expect(topLevel).toEqual(['schema', ...listed].sort())
  })

  it('accepts only the fields of the document that a flag selects', async () => {
    expect((await selectorOf('started_at', 'uploads list', { runs: true }))({ run: 'a', started_at: 'b' })).toEqual({
      started_at: 'b',
    })
    await expect(selectorOf('key', 'uploads list', { runs: true })).rejects.toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining('occurrence') }),
    )
    await expect(selectorOf('started_at', 'uploads list')).rejects.toThrow('Unknown field')
  })
})

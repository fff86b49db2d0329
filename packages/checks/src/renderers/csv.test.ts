import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileCase, hostileText } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import { csv } from './csv.js'

describe('a CSV report', () => {
  it('has a header and a row for each transcript, with a column for each tag', () => {
    const policy = { ...defaultPolicy, tags: { team: 'team' } }
    const cases = [caseOf({ tags: { team: ['a', 'b'] } }), failedCase({ tags: { team: [] } }), missingCase()]
    const text = [...csv(reportOf(cases, { policy }))].join('')
    const [header, passed, failed, missing]: string[][] = parse(text)
    expect(header?.slice(0, 6)).toEqual(['path', 'record', 'part', 'name', 'result', 'outcome'])
    expect(passed).toEqual(expect.arrayContaining(['conversations/order.json', 'Order 7', 'passed', 'a; b']))
    expect(failed).toEqual(expect.arrayContaining(['failed', 'poor', 'the outcome is poor', 'unresolved']))
    expect(missing?.[4]).toBe('not judged')
  })

  it('has as many cells in each row, and no formula, whatever a service, a file or a path holds', () => {
    fc.assert(
      fc.property(hostileCase, hostileText, (hostile, text) => {
        const rows: string[][] = parse([...csv(reportOf([hostile, failedCase({ name: `=${text}` })]))].join(''))
        expect(rows.map(({ length }) => length)).toEqual([16, 16, 16])
        for (const cell of rows.flat()) expect(cell).not.toMatch(/^\s*[=+@-]/)
      }),
    )
  })
})

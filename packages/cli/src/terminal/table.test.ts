import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { table, tsv } from './table.js'

describe('rows', () => {
  it('are one line each as TSV, however wild their cells', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { minLength: 3, maxLength: 3 })), (rows) => {
        const lines = tsv(rows).split('\n')
        expect(lines).toHaveLength(rows.length + 1)
        for (const line of lines.slice(0, -1)) expect(line.split('\t')).toHaveLength(3)
      }),
    )
  })

  it('fit the width of the terminal', () => {
    const text = table(['ID', 'NAME'], [['1', 'x'.repeat(200)]], 40)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(text).toContain('…')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tsv } from './tsv.js'

describe('tsv', () => {
  it('writes one line for each row and one cell for each value', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { minLength: 3, maxLength: 3 })), (rows) => {
        const lines = tsv(rows).split('\n')
        expect(lines).toHaveLength(rows.length + 1)
        for (const line of lines.slice(0, -1)) expect(line.split('\t')).toHaveLength(3)
      }),
    )
  })

  it('escapes tabs, line ends and backslashes', () => {
    expect(tsv([['a\tb', 'c\r\nd', 'C:\\new']])).toBe('a\\tb\tc\\r\\nd\tC:\\\\new\n')
  })
})

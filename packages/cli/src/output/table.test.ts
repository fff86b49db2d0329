import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { type Column, tableOf } from './table.js'

const id = 'hp-0b7c9a52-3c1f-4f0e-9a55-2f1f6f3c9d10'
const columns: Column[] = [
  'ID',
  { title: 'NAME', least: 24 },
  { title: 'TURNS', drop: 1 },
  { title: 'STATUS', drop: 3 },
  { title: 'CREATED', drop: 2 },
]
const name = '客户支持 – refund of a duplicate payment, escalated twice 🙂👩‍👩‍👧'
const rows = [[id, name, '12', 'completed', '2 days ago']]
const table = (columns: readonly Column[], rows: readonly string[][], width: number): string => {
  const { head, body } = tableOf(columns, rows, width)
  return head + body(rows)
}
const linesAt = (width: number) => table(columns, rows, width).split('\n')

describe('table', () => {
  it('fits every width from 40 columns, with wide characters and emoji', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 200 }),
        fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { minLength: 1, maxLength: 5 }),
        (width, names) => {
          const text = table(
            ['ID', { title: 'NAME', least: 24 }],
            names.map((each) => ['x1', each]),
            width,
          )
          for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  it('shows everything in full at 140 columns', () => {
    const [header = '', row] = linesAt(140)
    expect(header.split(/ +/)).toEqual(['ID', 'NAME', 'TURNS', 'STATUS', 'CREATED'])
    expect(row).toBe(`${id}  ${name}  12     completed  2 days ago`)
  })

  it('cuts the name at 80 columns to no less than 24 cells, and drops the least important columns', () => {
    const [header = '', row = ''] = linesAt(80)
    expect(header.split(/ +/)).toEqual(['ID', 'NAME', 'STATUS'])
    expect(row).toMatch(new RegExp(`^${id}  客户支持 – refund of.*…  +completed$`))
    expect(stringWidth(row.slice(41).replace(/ +completed$/, ''))).toBeGreaterThanOrEqual(24)
  })

  it('shows a record as a block of lines where its columns do not fit below 80 columns', () => {
    expect(linesAt(60)).toEqual([
      `ID       ${id}`,
      `NAME     ${name}`,
      'TURNS    12',
      'STATUS   completed',
      'CREATED  2 days ago',
      '',
    ])
  })

  it('separates the blocks of two records by an empty line', () => {
    expect(
      table(
        ['ID', 'NAME'],
        [
          [id, 'a'],
          [id, 'b'],
        ],
        20,
      ),
    ).toBe(`ID    ${id}\nNAME  a\n\nID    ${id}\nNAME  b\n`)
  })

  it('never cuts a column without a least width', () => {
    expect(table(['ID', { title: 'NAME', least: 4 }], [[id, 'a long name']], 45)).toContain(`${id}  a l…`)
  })
})

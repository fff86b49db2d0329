import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { tsv } from '../terminal.js'
import { type Column, tableOf, timeAgo } from './table.js'

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

describe('timeAgo', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T11:58:59Z', '1 minute ago'],
    ['2026-03-10T09:00:00Z', '3 hours ago'],
    ['2026-03-08T11:00:00Z', '2 days ago'],
    ['2026-01-31T10:00:00Z', '2026-01-31'],
    ['2026-03-11T10:00:00Z', '2026-03-11'],
    ['', ''],
    ['soon', 'soon'],
  ])('shows %s as "%s"', (iso, text) => {
    expect(timeAgo(iso, now)).toBe(text)
  })
})

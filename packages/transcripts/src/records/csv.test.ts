import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvError, CsvParser } from './csv.js'

const rowsOf = (separator: string, ...pieces: string[]) => {
  const parser = new CsvParser(separator)
  return [...pieces.flatMap((piece) => [...parser.push(piece)]), ...parser.end()]
}
const cellsOf = (text: string, separator = ',') => rowsOf(separator, text).map(({ cells }) => cells)

const refusal = (read: () => unknown) => {
  try {
    read()
  } catch (error) {
    if (error instanceof CsvError) return { message: error.message, line: error.line, offset: error.offset }
  }
  throw new Error('it was not refused')
}

describe('cells', () => {
  it('cells may be quoted, with separators, line ends and doubled quotes inside', () => {
    expect(cellsOf('a,"b,c","d ""e""","f\r\ng"\r\n')).toEqual([['a', 'b,c', 'd "e"', 'f\r\ng']])
  })

  it('keep quotes that stand inside an unquoted one, and text after a closing one', () => {
    expect(cellsOf('a "b" c,"d"e\n')).toEqual([['a "b" c', 'de']])
  })

  it('cells may be empty, at the end as well', () => {
    expect(cellsOf('a,,\n,"",b\n')).toEqual([
      ['a', '', ''],
      ['', '', 'b'],
    ])
  })

  it('separates cells by the given delimiter', () => {
    expect(cellsOf('a\tb,c\n', '\t')).toEqual([['a', 'b,c']])
  })
})

describe('rows', () => {
  it('end in CRLF, LF, CR or the end of the file; blank lines are none', () => {
    expect(cellsOf('a\r\nb\n\n\r\nc\rd')).toEqual([['a'], ['b'], ['c'], ['d']])
    expect(cellsOf('\n\n')).toEqual([])
  })

  it('rows of one quoted empty cell are rows', () => {
    expect(cellsOf('""\n')).toEqual([['']])
  })

  it('know their line and their place in bytes', () => {
    const rows = rowsOf(',', 'name,ä\r\n"two\nlines",😀\nlast,x')
    expect(rows.map(({ line, offset }) => [line, offset])).toEqual([
      [1, 0],
      [2, 9],
      [4, 9 + 17],
    ])
  })

  it('rows are given as soon as they are complete', () => {
    const parser = new CsvParser(',')
    expect([...parser.push('a,b\nc')].map(({ cells }) => cells)).toEqual([['a', 'b']])
    expect([...parser.push(',d')]).toEqual([])
    expect([...parser.end()].map(({ cells }) => cells)).toEqual([['c', 'd']])
  })
})

describe('a flaw', () => {
  it('reports an unclosed quote at the place where it opens', () => {
    expect(refusal(() => rowsOf(',', 'a,b\nc,"d\ne,f\n'))).toEqual({
      message: 'the quote that opens here is never closed',
      line: 2,
      offset: 6,
    })
  })

  it('a flaw is a row that is too long, which an open quote may explain', () => {
    const long = 'x'.repeat(2 ** 24 + 1)
    expect(refusal(() => rowsOf(',', `a\n${long}`)).line).toBe(2)
    expect(refusal(() => rowsOf(',', `a,"${long}`)).message).toMatch(/the quote that opens here may not be closed$/)
  })

  it('a flaw is a row of too many cells', () => {
    expect(refusal(() => rowsOf(',', `a\n${','.repeat(2 ** 14)}\n`))).toMatchObject({ line: 2, offset: 2 })
  })
})

describe('written CSV', () => {
  const table = fc.array(fc.array(fc.string({ unit: fc.constantFrom(...'ab",;\t\r\n ä😀') }), { minLength: 1 }))
  const written = (cells: readonly string[], separator: string, end: string) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator) + end

  it('written CSV is read as the same cells, however the text is cut into pieces', () => {
    const ends = fc.constantFrom('\n', '\r\n')
    const property = fc.property(
      table,
      fc.constantFrom(',', ';', '\t'),
      ends,
      fc.nat(7),
      (rows, separator, end, size) => {
        const text = rows.map((cells) => written(cells, separator, end)).join('')
        const pieces = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? []
        const read = rowsOf(separator, ...pieces)
        expect(read.map(({ cells }) => cells)).toEqual(rows)
        const bytes = new TextEncoder().encode(text)
        for (const { cells, offset } of read) {
          const own = new TextEncoder().encode(written(cells, separator, end))
          expect(bytes.subarray(offset, offset + own.length)).toEqual(own)
        }
      },
    )
    fc.assert(property)
  })

  it('written CSV needs no quotes where nothing in it means anything', () => {
    const plain = fc.array(fc.array(fc.string({ unit: fc.constantFrom(...'ab ä1') }), { minLength: 2 }))
    const property = fc.property(plain, (rows) => {
      expect(cellsOf(rows.map((cells) => cells.join(',')).join('\n'))).toEqual(rows)
    })
    fc.assert(property)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteQueue } from './bytes.js'
import { CsvError, CsvParser } from './csv.js'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const read = (separator: string, pieces: readonly Uint8Array[], escapedBy?: string) => {
  const parser = new CsvParser(separator, 1, escapedBy)
  const queue = new ByteQueue()
  const rowsIn = (piece: Uint8Array, ended: boolean) => {
    queue.push(piece)
    return [...parser.rows(queue, ended)]
  }
  return [...pieces.flatMap((piece) => rowsIn(piece, false)), ...rowsIn(bytesOf(''), true)]
}
const rowsOf = (separator: string, ...pieces: string[]) => read(separator, pieces.map(bytesOf))
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

  it('cells keep quotes that stand inside an unquoted one', () => {
    expect(cellsOf('a "b" c,d"e"\n')).toEqual([['a "b" c', 'd"e"']])
  })

  it('cells may have blanks behind the closing quote', () => {
    expect(cellsOf('"a" ,"b"\t\n')).toEqual([['a', 'b']])
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
    const queue = new ByteQueue()
    const cellsAfter = (piece: string, ended = false) => {
      queue.push(bytesOf(piece))
      return [...parser.rows(queue, ended)].map(({ cells }) => cells)
    }
    expect(cellsAfter('a,b\nc')).toEqual([['a', 'b']])
    expect(cellsAfter(',d')).toEqual([])
    expect(cellsAfter('', true)).toEqual([['c', 'd']])
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
    expect(rowsOf(',', `a\n${long}`)).toMatchObject([{}, { cells: [], line: 2, flaw: { hidesMore: false } }])
    expect(refusal(() => rowsOf(',', `a,"${long}`)).message).toMatch(/the quote that opens here may not be closed$/)
  })

  it('a row of exactly the most bytes has no flaw, and one of a byte more has', () => {
    const most = 'x'.repeat(2 ** 24)
    for (const end of ['', '\n', '\r\n', '\nb\n']) {
      const [row, ...others] = rowsOf(',', `${most}${end}`)
      expect([row?.cells[0]?.length, row?.flaw, others.length]).toEqual([2 ** 24, undefined, end === '\nb\n' ? 1 : 0])
      expect(rowsOf(',', `${most}x${end}`)[0]).toMatchObject({ cells: [], flaw: {} })
    }
  })

  it('a flaw is a row of too many cells', () => {
    const rows = rowsOf(',', `a\n${','.repeat(2 ** 14)}\nb\n`)
    expect(rows).toMatchObject([{}, { cells: [], line: 2, flaw: { column: 1 } }, { cells: ['b'], line: 3 }])
  })

  it('skips the rest of a row that is too long, in parts of any length, and reads the rows after it', () => {
    const text = `a,b\n1,2\n3,${'x'.repeat(2 ** 24)}\r\n5,6\r\n`
    const bytes = new TextEncoder().encode(text)
    for (const cut of [2 ** 24 + 5, 2 ** 24 + 12, text.length - 5]) {
      const queue = new ByteQueue()
      const parser = new CsvParser(',')
      const rows = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part, at) => {
        queue.push(part)
        return [...parser.rows(queue, at === 1)]
      })
      expect(rows.map(({ cells, line }) => [line, ...cells])).toEqual([
        [1, 'a', 'b'],
        [2, '1', '2'],
        [3],
        [4, '5', '6'],
      ])
    }
  })
})

describe('written CSV', () => {
  const table = fc.array(fc.array(fc.string({ unit: fc.constantFrom(...'ab",;\\\t\r\n ä😀') }), { minLength: 1 }))
  const isPlain = (cell: string) => cell !== '' && !/[",;\\\t\r\n]/.test(cell)
  const dialects: Record<string, { escapedBy?: string; quoted(cell: string, separator: string): string }> = {
    doubled: { quoted: (cell) => `"${cell.replaceAll('"', '""')}"` },
    escaped: { escapedBy: '\\', quoted: (cell) => `"${cell.replaceAll(/["\\]/g, String.raw`\$&`)}"` },
    both: { escapedBy: '\\', quoted: (cell) => `"${cell.replaceAll('\\', '\\\\').replaceAll('"', '""')}"` },
    bare: {
      escapedBy: '\\',
      quoted: (cell, separator) => {
        const special = ['"', '\\', '\r', '\n', separator]
        return [...cell].map((each) => (special.includes(each) ? `\\${each}` : each)).join('') || '""'
      },
    },
  }

  it.each(Object.entries(dialects))(
    'written CSV is read as the same cells, however its bytes are cut into pieces: %s',
    (_, { escapedBy, quoted }) => {
      const property = fc.property(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.nat(7),
        (rows, separator, end, always, size) => {
          const written = (cells: readonly string[]) =>
            cells.map((cell) => (!always && isPlain(cell) ? cell : quoted(cell, separator))).join(separator)
          const bytes = bytesOf(rows.map((cells) => written(cells) + end).join(''))
          const pieces = Array.from({ length: Math.ceil(bytes.length / (size + 1)) }, (_, at) =>
            bytes.slice(at * (size + 1), (at + 1) * (size + 1)),
          )
          const found = read(separator, pieces, escapedBy)
          expect(found.map(({ cells }) => cells)).toEqual(rows)
          expect(found.filter(({ flaw }) => flaw)).toEqual([])
          for (const { cells, offset } of found) {
            const own = bytesOf(written(cells))
            expect(bytes.subarray(offset, offset + own.length)).toEqual(own)
          }
        },
      )
      fc.assert(property)
    },
  )

  it('written CSV needs no quotes where nothing in it means anything', () => {
    const plain = fc.array(fc.array(fc.string({ unit: fc.constantFrom(...'ab ä1') }), { minLength: 2 }))
    const property = fc.property(plain, (rows) => {
      expect(cellsOf(rows.map((cells) => cells.join(',')).join('\n'))).toEqual(rows)
    })
    fc.assert(property)
  })

  it('any bytes are read as the same rows, however they are cut into pieces', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab",\\\r\n ä') })
    const property = fc.property(text, fc.nat(3), fc.constantFrom(undefined, '\\'), (csv, size, character) => {
      const bytes = bytesOf(csv)
      const pieces = Array.from(bytes.keys()).flatMap((at) =>
        at % (size + 1) === 0 ? [bytes.slice(at, at + size + 1)] : [],
      )
      const attempt = (cut: readonly Uint8Array[]) => {
        try {
          return read(',', cut, character)
        } catch (error) {
          return String(error)
        }
      }
      expect(attempt(pieces)).toEqual(attempt([bytes]))
    })
    fc.assert(property)
  })
})

describe('text after a closing quote', () => {
  it.each([
    [
      'a,b\n"c"d,e\n',
      {
        line: 2,
        column: 4,
        message:
          'expected "," or the end of the line after the closing quote, found "d,e"; write a quote inside a quoted cell twice',
        hidesMore: false,
      },
    ],
    ['a\n"two\nlines" x\n', { line: 3, column: 8, message: expect.stringMatching(/found "x"/), hidesMore: true }],
    [
      'a\n"He said \\"go\\", twice"\n',
      { line: 2, column: 12, message: expect.stringMatching(/--csv-escape/), hidesMore: false },
    ],
  ])('text after a closing quote is a flaw of its row, with its place: %j', (text, flaw) => {
    expect(rowsOf(',', text).flatMap((row) => row.flaw ?? [])).toEqual([flaw])
  })
})

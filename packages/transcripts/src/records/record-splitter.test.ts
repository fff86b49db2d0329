import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { RecordSplitter } from './record-splitter.js'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function split(...chunks: (string | Uint8Array)[]) {
  const splitter = new RecordSplitter()
  const records = chunks.flatMap((chunk) => splitter.push(chunk))
  return { records: [...records, ...splitter.end()], layout: splitter.layout }
}

/** A part at each of the lengths, one after the other, and the rest. */
function cut<T extends string | Uint8Array>(whole: T, lengths: readonly number[]): T[] {
  const parts: T[] = []
  let at = 0
  for (const length of lengths) {
    parts.push(whole.slice(at, at + length) as T)
    at += length
  }
  return [...parts, whole.slice(at) as T]
}

const even = <T extends string | Uint8Array>(whole: T, length: number) =>
  cut(whole, Array(Math.floor(whole.length / length)).fill(length))

const json = '{"messages":[]}'

describe('the splitter', () => {
  const units = (text: string) => [...Array(text.length).keys()].map((at) => text.charCodeAt(at))
  const encodings = {
    'utf-16le': (text: string) => Uint8Array.from(units(text).flatMap((unit) => [unit & 255, unit >> 8])),
    'utf-16be': (text: string) => Uint8Array.from(units(text).flatMap((unit) => [unit >> 8, unit & 255])),
    'utf-8': bytesOf,
  }
  const text = `${json}\n{"a":"é😀"}`

  it.each(Object.entries(encodings))('reads %s, with or without a mark, in parts of any length', (_, encode) => {
    for (const bytes of [encode(text), encode(`\uFEFF${text}`)]) {
      for (let length = 1; length < bytes.length; length++) {
        expect(split(...even(bytes, length)).records.map((record) => record.text)).toEqual(text.split('\n'))
      }
    }
  })

  it('reads text of which two parts divide a character', () => {
    for (let at = 0; at <= text.length; at++) {
      expect(split(text.slice(0, at), text.slice(at)).records.map((record) => record.text)).toEqual(text.split('\n'))
    }
    expect(split('{\0"\0a\0"').records[0]?.text).toBe('{\0"\0a\0"')
    expect(split('["a\uD800', '"]').records[0]?.text).toBe('"a\uFFFD"')
    expect(split('["a\uD800').records[0]?.text).toBe('"a\uFFFD')
  })

  it.each([
    ['[1,]', 'expected another element; remove the comma before it, found ]'],
    ['[,1]', 'expected a value, found ,'],
    ['[1 2]', 'expected "," or "]", found 2'],
    ['[1] 2', 'expected the end of the document, found 2'],
    ['[1', 'the JSON ends in the middle of an array: it is cut off'],
  ])('reports the first error in an array: %s', (text, error) => {
    expect(split(text).records.map((record) => record.error ?? record.text)).toContain(error)
  })

  it('sees JSONL though its first line is broken', () => {
    expect(split(`{"messages":\n${json}\n${json}`)).toMatchObject({ layout: 'lines', records: [{}, {}, {}] })
  })
})

describe('the parts in which a file comes', () => {
  const value = fc
    .oneof(
      fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
      fc.array(fc.string({ unit: fc.constantFrom(...'\\"[]{},:é') })),
    )
    .map((inner) => ({ k: inner }))
  const blanks = fc.constantFrom('', '\n', ' \r\n\n', '\uFEFF', '\uFEFF\n \n')
  const files = fc
    .tuple(blanks, fc.array(value), fc.constantFrom(0, 2), fc.constantFrom('array', 'lines', 'documents'))
    .map(([before, values, indent, as]) => {
      if (as === 'array') return before + JSON.stringify(values, null, indent)
      return before + values.map((each) => JSON.stringify(each, null, as === 'lines' ? 0 : 2)).join('\n')
    })

  it('do not change its records and their places', () => {
    fc.assert(
      fc.property(files, fc.array(fc.nat(40), { maxLength: 60 }), (text, lengths) => {
        const bytes = bytesOf(text)
        expect(split(...cut(bytes, lengths))).toEqual(split(bytes))
        expect(split(...even(text, 1))).toEqual(split(bytes))
        for (const record of split(bytes).records) {
          const lineText = text.replace('\uFEFF', '').split('\n')[record.line - 1] ?? ''
          const firstLine = record.text.split('\n')[0] ?? ''
          expect(lineText.slice(record.column - 1, record.column - 1 + firstLine.length)).toBe(firstLine)
          expect(bytesOf(record.text)).toEqual(bytes.slice(record.offset, record.offset + bytesOf(record.text).length))
        }
      }),
      { numRuns: runs(60) },
    )
  })

  it('reports the same problems of a broken file for every chunk size', () => {
    const broken = fc.constantFrom(
      ...['[1 é😀é', '[{"a":1}} é', '[,', '[1] "é', '{"a":\n[1]] é', '[1', '{"a":"é', 'é,é', '[{},]'],
    )
    const padding = fc.constantFrom('', ' '.repeat(60), '\n{}')
    fc.assert(
      fc.property(broken, padding, fc.array(fc.nat(4), { maxLength: 20 }), (start, rest, lengths) => {
        const bytes = bytesOf(start + rest)
        expect(split(...cut(bytes, lengths))).toEqual(split(bytes))
      }),
    )
  })

  it('do not change the lines of a text', () => {
    const line = fc.string({ unit: fc.constantFrom(...'ab:-> é😀\t'), maxLength: 12 })
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const texts = fc.array(fc.tuple(line, end), { minLength: 1 })
    const start = fc.constantFrom('WEBVTT', '1', '[12/03/24, 10:00] Ann: Hi', '[Ann] Hi', '# Hi', '<!-- Hi -->')
    fc.assert(
      fc.property(start, texts, fc.array(fc.nat(9), { maxLength: 60 }), (first, rest, lengths) => {
        const text = `${first}\n${rest.flat().join('')}`
        const bytes = bytesOf(text)
        const { records, layout } = split(bytes)
        expect(layout).toBe('text')
        expect(split(...cut(bytes, lengths))).toEqual({ records, layout })
        const lines = text.split(/\r\n|\n|\r/)
        expect(records.map(({ text }) => text)).toEqual(lines.at(-1) === '' ? lines.slice(0, -1) : lines)
        for (const [at, record] of records.entries()) {
          expect(record).toMatchObject({ record: at + 1, line: at + 1, column: 1 })
          expect(bytesOf(record.text)).toEqual(bytes.slice(record.offset, record.offset + bytesOf(record.text).length))
        }
      }),
      { numRuns: runs(100) },
    )
  })

  /** Around the lengths at which the layout is decided. */
  it.each([
    ['a first line of 20 kB', `[${' '.repeat(20_000)}\n${`${json}\n`.repeat(3000)}`],
    ['a first line of 40 kB', `{"a":${' '.repeat(40_000)}\n${`${json}\n`.repeat(3000)}`],
    ['lines that are documents from 40 kB on', `{"a":\n${'[\n'.repeat(18_000)}${`${json}\n`.repeat(20_000)}`],
    ['a line of 2 MB and another', `[${`"${'x'.repeat(1000)}",`.repeat(2000)}1]\n[1]`],
    ['a megabyte of spaces', `${' '.repeat(1 << 20)}${json}`],
    ['a megabyte of words', `${`${'a word '.repeat(100)}\n`.repeat(2000)}${json}`],
    ['a table', `role,content\n${`user,"a\n${'b'.repeat(1000)}"\n`.repeat(2000)}`],
  ])('do not change its layout: %s', (_, text) => {
    const bytes = bytesOf(text)
    const seen = split(bytes)
    for (const length of [30_000, (1 << 15) + 1, 1 << 18, (1 << 20) + 7]) {
      const other = split(...even(bytes, length))
      expect(other.layout).toEqual(seen.layout)
      expect(other.records.length).toBe(seen.records.length)
      expect(other.records.at(-1)).toEqual(seen.records.at(-1))
    }
  })
})

describe('an incomplete record', () => {
  it('an incomplete record is nothing while a file begins with ten million blank lines', () => {
    const splitter = new RecordSplitter()
    const blank = new Uint8Array(100_000).fill(0x0a)
    for (let part = 0; part < 100; part++) {
      expect(splitter.push(blank)).toEqual([])
      expect(splitter.waiting).toBe(0)
    }
    expect(splitter.end(`  ${json}`)).toMatchObject([{ offset: 10_000_002, line: 10_000_001, column: 3 }])
  })

  it('an incomplete record is no more than a megabyte of a line that begins with many blanks', () => {
    const splitter = new RecordSplitter()
    const blank = new Uint8Array(100_000).fill(0x20)
    for (let part = 0; part < 100; part++) {
      expect(splitter.push(blank)).toEqual([])
      expect(splitter.waiting).toBeLessThanOrEqual(1_100_000)
    }
    const records = [...splitter.push(json), ...splitter.end(`\n ${json}`)]
    expect(records).toMatchObject([
      { offset: 10_000_000, line: 1, column: 10_000_001, text: json },
      { offset: 10_000_002 + json.length, line: 2, column: 2 },
    ])
  })

  it.each([
    ['in lines', `{}\n\n {"a":"${'x'.repeat(100)}"}\n{}`, { line: 3, column: 2, offset: 5 }],
    ['in an array', `[1,\n "${'x'.repeat(100)}", 2]`, { line: 2, column: 2, offset: 5 }],
    ['over several lines', `{"a":\n"${'x'.repeat(100)}"}\n{}`, { line: 1, column: 1, offset: 0 }],
  ])('an incomplete record is never more than one record may have: %s', (_, text, place) => {
    for (const length of [1, 7, text.length]) {
      const splitter = new RecordSplitter({}, 50)
      const records = [...even(text, length).flatMap((part) => splitter.push(part)), ...splitter.end()]
      const wrong = records.find(({ error }) => error !== undefined)
      expect(wrong).toMatchObject({ ...place, error: expect.stringMatching(/^expected records of at most 50 bytes/) })
      // Other lines are read; elsewhere nobody knows where such a record ends.
      expect(records.at(-1)?.error === undefined).toBe(wrong?.isLast !== true)
      expect(splitter.waiting).toBe(0)
    }
  })

  it('an incomplete record is not searched again with each part of a megabyte of blanks before the first record', () => {
    const splitter = new RecordSplitter()
    const part = new Uint8Array(64).fill(0x20)
    for (let n = 0; n < 2 ** 14; n++) splitter.push(part)
    expect(splitter.end(json)).toMatchObject([{ record: 1, column: 2 ** 20 + 1 }])
  })
})

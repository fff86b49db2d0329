import { describe, expect, it } from 'vitest'
import type { Piece } from './piece.js'
import { RecordSplitter } from './record-splitter.js'

const texts = (pieces: readonly Piece[]) => pieces.map(({ text, flaw }) => flaw ?? text)
const split = (source: string) => new RecordSplitter().end(source)

describe('the splitter of an array', () => {
  it('finds the elements, however they are indented', () => {
    const elements = [0, 1, 2, 3].map((id) => ({ id, text: '"}, {"id"', deep: [{ id }, { id }] }))
    for (const space of [0, 1, 2, '\t']) {
      const pieces = split(JSON.stringify(elements, null, space))
      expect(pieces.map(({ text }) => JSON.parse(text))).toEqual(elements)
    }
  })

  it('finds the elements where lists inside them are written alike', () => {
    const inner = '{"a":1},{"a":2},{"a":3}'
    const elements = ['{"a":0}', '{"a":1}', `{"a":[${inner}]}`, `{"a":[[${inner}],[${inner}]]}`, '{"a":4}', '{"a":5}']
    expect(texts(split(`[${elements.join(',')}]`))).toEqual(elements)
  })

  it('finds the elements where a text inside one looks like the end of one', () => {
    const elements = [
      '{"a":0}',
      '{"a":1}',
      JSON.stringify({ a: '{"a":1},{"a":2}' }),
      '{"a":3}',
      '[{"a":4},{"a":5}]',
      '7',
    ]
    expect(texts(split(`[${elements.join(',')}]`))).toEqual(elements)
  })

  it('gives the same lines and columns, however the file is cut', () => {
    const source = JSON.stringify(
      Array.from({ length: 30 }, (_, id) => ({ id, text: 'é'.repeat(id), list: [id, id] })),
      null,
      1,
    ).replaceAll('},\n {', '}, {')
    const whole = split(source)
    expect(whole).toHaveLength(30)
    for (const size of [1, 7, 64]) {
      const splitter = new RecordSplitter()
      const pieces: Piece[] = []
      for (let at = 0; at < source.length; at += size) pieces.push(...splitter.push(source.slice(at, at + size)))
      pieces.push(...splitter.end())
      const placed = (list: readonly Piece[]) =>
        list.map(({ record, offset, line, column, text }) => ({ record, offset, line, column, text }))
      expect(placed(pieces)).toEqual(placed(whole))
    }
  })

  it('names the place where a brace too many follows an element', () => {
    expect(texts(split('[{"a":1},{"a":2},{"a":3}},{"a":4}]'))).toEqual([
      '{"a":1}',
      '{"a":2}',
      '{"a":3}',
      'expected "," or "]", found }',
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TypedLine, typeMore } from './prompt.js'

const typed = (...chunks: string[]): TypedLine =>
  chunks.reduce((line, chunk) => (line.end ? line : typeMore(line, chunk)), { text: '' } as TypedLine)

describe('a typed line', () => {
  it('ends with Enter, also inside a paste', () => {
    expect(typed('ab', 'c', '\r')).toEqual({ text: 'abc', end: 'entered' })
    expect(typed('abc\r\nmore')).toEqual({ text: 'abc', end: 'entered' })
    expect(typed('\nabc\n')).toEqual({ text: 'abc', end: 'entered' })
    expect(typed('\u001b[200~abc\u001b[201~', '\r')).toEqual({ text: 'abc', end: 'entered' })
    expect(typed('\r')).toEqual({ text: '', end: 'entered' })
  })

  it('a typed line is edited by Backspace and Ctrl-U, and ignores arrow keys', () => {
    expect(typed('abx\u007fc\r').text).toBe('abc')
    expect(typed('\u007f\ba\r').text).toBe('a')
    expect(typed('wrong\u0015abc\r').text).toBe('abc')
    expect(typed('a\u001b[Db\u001b[3~c\u001bOA\r').text).toBe('abc')
  })

  it('a typed line is cancelled by Ctrl-C, and closed by Ctrl-D', () => {
    expect(typed('abc\u0003')).toEqual({ text: '', end: 'interrupted' })
    expect(typed('\u0004')).toEqual({ text: '', end: 'closed' })
    expect(typed('abc\u0004')).toEqual({ text: 'abc', end: 'entered' })
  })

  it('a typed line is the same for any split of its printable characters into chunks', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_. ~'), minLength: 1 })
    fc.assert(
      fc.property(fc.array(text), (chunks) => {
        expect(typed(...chunks, '\r').text).toBe(chunks.join(''))
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDuration } from '../duration.js'
import { cut, inert, table, tsv } from './text.js'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const powerful = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

describe('inert text', () => {
  it('has no power over a terminal, whatever it is made of', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', '\u001b', '[2J', '\n', '\t', '\r', '\u009b', '\u202e', '\u2028', ' '),
    })
    for (const text of [nasty, fc.string({ unit: 'binary' })]) {
      fc.assert(
        fc.property(text, (wild) => {
          expect(inert(wild)).not.toMatch(powerful)
        }),
      )
    }
  })

  it('is the same whether it is looked at once or taken apart', () => {
    const near = fc.string({ unit: fc.constantFrom('a', ' ', ':', '#', '[', '\t', '~', '"', '$') })
    fc.assert(
      fc.property(near, (wild) => {
        // A letter beyond ASCII has it taken apart.
        expect(inert(wild)).toBe(inert(`${wild}é`).slice(0, -1))
      }),
    )
  })

  it('leaves ordinary text alone', () => {
    expect(inert('Größe 🙂 “quoted”')).toBe('Größe 🙂 “quoted”')
  })
})

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

  it('cut a text at characters, not inside them', () => {
    expect(cut('🙂🙂🙂', 2)).toBe('🙂…')
    expect(cut('abc', 3)).toBe('abc')
    expect(cut('🙂🙂', 2)).toBe('🙂🙂')
    expect(cut('ab', 0)).toBe('…')
  })
})

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['30', 30_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['0', undefined],
    ['-1s', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
})

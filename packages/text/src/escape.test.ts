import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeLine } from './escape.js'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const powerful = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

describe('escaped text', () => {
  it('escaped text has no power over a terminal, whatever it is made of', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', '\u001b', '[2J', '\n', '\t', '\r', '\u009b', '\u202e', '\u2028', ' '),
    })
    for (const text of [nasty, fc.string({ unit: 'binary' })]) {
      fc.assert(
        fc.property(text, (wild) => {
          expect(escapeLine(wild)).not.toMatch(powerful)
        }),
      )
    }
  })

  it('escapes a text the same at once and in parts', () => {
    const near = fc.string({ unit: fc.constantFrom('a', ' ', ':', '#', '[', '\t', '~', '"', '$') })
    fc.assert(
      fc.property(near, (wild) => {
        // A letter beyond ASCII has it taken apart.
        expect(escapeLine(wild)).toBe(escapeLine(`${wild}é`).slice(0, -1))
      }),
    )
  })

  it('leaves ordinary text alone', () => {
    expect(escapeLine('Größe 🙂 “quoted”')).toBe('Größe 🙂 “quoted”')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highlight } from './open-case.js'

const marked = (content: string, ...evidence: string[]) =>
  highlight(
    content,
    evidence.map((text, finding) => ({ finding, text })),
  )

describe('evidence in a turn', () => {
  it('evidence in a turn is marked where it stands', () => {
    expect(marked('Well, I cannot help. Bye.', 'I cannot help.')).toEqual({
      segments: [
        { text: 'Well, ', findings: [] },
        { text: 'I cannot help.', findings: [0] },
        { text: ' Bye.', findings: [] },
      ],
      whole: [],
    })
  })

  it('evidence in a turn may overlap other evidence', () => {
    expect(marked('abcdef', 'abcd', 'cdef').segments).toEqual([
      { text: 'ab', findings: [0] },
      { text: 'cd', findings: [0, 1] },
      { text: 'ef', findings: [1] },
    ])
  })

  it('evidence in a turn is found with other white space', () => {
    expect(marked('I cannot\n  help (sorry).', ' I cannot help (sorry).').segments).toEqual([
      { text: 'I cannot\n  help (sorry).', findings: [0] },
    ])
  })

  it.each(['', '  ', 'never said', 'never said at all'])(
    'evidence in a turn that is not there, as %j, means the whole turn',
    (text) => {
      expect(marked('I cannot help.', text)).toEqual({
        segments: [{ text: 'I cannot help.', findings: [] }],
        whole: [0],
      })
    },
  )

  it('evidence in an empty turn means the whole turn', () => {
    expect(marked('', 'x')).toEqual({ segments: [], whole: [0] })
  })

  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '(', '\\', '*', '😀') }))

  it('leaves the turn as it is, whatever it is', () => {
    fc.assert(
      fc.property(text, fc.array(text), (content, evidence) => {
        const { segments } = marked(content, ...evidence)
        expect(segments.map((each) => each.text).join('')).toBe(content)
        expect(segments.every((each) => each.text !== '')).toBe(true)
      }),
    )
  })

  it('evidence in a turn is marked, or means the whole turn: once, and as it was quoted but for white space', () => {
    const squeezed = (of: string) => of.trim().replace(/\s+/g, ' ')
    fc.assert(
      fc.property(text, fc.array(text), (content, evidence) => {
        const { segments, whole } = marked(content, ...evidence)
        for (const [finding, quoted] of evidence.entries()) {
          const quotes = segments.filter(({ findings }) => findings.includes(finding)).map((each) => each.text)
          expect(quotes.length > 0).toBe(!whole.includes(finding))
          if (quotes.length > 0) expect(squeezed(quotes.join(''))).toBe(squeezed(quoted))
        }
      }),
    )
  })

  it('evidence in a turn that is a part of the turn is always marked', () => {
    fc.assert(
      fc.property(text, text, text, (before, quoted, after) => {
        fc.pre(quoted.trim() !== '')
        expect(marked(before + quoted + after, quoted).whole).toEqual([])
      }),
    )
  })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bothJson, canonicalJson } from './canonical.js'

const turn = fc.oneof(
  fc.record({ role: fc.string(), content: fc.string({ unit: 'binary' }) }),
  fc.record({ content: fc.string(), role: fc.string() }),
  fc.record({ role: fc.jsonValue(), content: fc.jsonValue(), metadata: fc.jsonValue() }, { requiredKeys: [] }),
  fc.record({ role: fc.string(), content: fc.constantFrom(undefined, '', 'a "word"\n\u{d800}') }),
  fc.jsonValue(),
)

it('writes turns both as JSON does and as canonical JSON does', () => {
  fc.assert(
    fc.property(fc.array(turn), (turns) => {
      expect(bothJson(turns)).toEqual({ json: JSON.stringify(turns), canonical: canonicalJson(turns) })
    }),
  )
})

it('escapes what JSON escapes, in every place of the character set', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const turns = [{ role: 'user', content: `a${String.fromCharCode(code)}b` }]
    if (bothJson(turns).json !== JSON.stringify(turns)) expect.fail(`U+${code.toString(16)}`)
  }
})

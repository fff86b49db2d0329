import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from './index.js'

test('folding is the same for composed and decomposed text, for every case, and for what it has folded', () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('ı'))
  fc.assert(
    fc.property(text, (each) => {
      const folded = fold(each)
      expect(fold(each.normalize('NFD'))).toBe(folded)
      expect(fold(each.toLowerCase())).toBe(folded)
      expect(fold(folded)).toBe(folded)
    }),
    { numRuns: 2_000 },
  )
})

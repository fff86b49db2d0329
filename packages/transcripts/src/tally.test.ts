import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Tally } from './tally.js'

it('gives each number as often as it is in the list, in any order, and knows it for ever', () => {
  const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer())
  fc.assert(
    fc.property(fc.array(number), fc.array(number), (numbers, asked) => {
      const tally = new Tally(numbers)
      const left = [...numbers]
      for (const each of asked) {
        const at = left.indexOf(each)
        expect([tally.has(each), tally.take(each)]).toEqual([numbers.includes(each), at !== -1])
        if (at !== -1) left.splice(at, 1)
      }
    }),
  )
})

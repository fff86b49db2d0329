import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OpenCalls } from './open-calls.js'

const name = fc.constantFrom('find', 'look', 'ask')
const step = fc.oneof(
  name.map((add) => ({ add })),
  name.map((take) => ({ take })),
  fc.constant({ take: undefined }),
  fc.constant({ ends: true }),
)

it('an open call is taken once: the first of its name in the last round, else in the rounds before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const calls = new OpenCalls<string>()
      let [earlier, round]: [string[], string[]] = [[], []]
      let isAnswered = false
      const endRound = () => {
        earlier.push(...round)
        round = []
        isAnswered = false
      }
      for (const [index, each] of steps.entries()) {
        if ('ends' in each) {
          calls.endRound()
          endRound()
        } else if ('add' in each) {
          if (isAnswered) endRound()
          calls.add(each.add, `${each.add} ${index}`)
          round.push(`${each.add} ${index}`)
        } else {
          isAnswered = true
          const isNamed = (call: string) => each.take === undefined || call.startsWith(each.take)
          const wanted = round.find(isNamed) ?? earlier.find(isNamed)
          round = round.filter((call) => call !== wanted)
          earlier = earlier.filter((call) => call !== wanted)
          expect(each.take === undefined ? calls.takeFirst() : calls.takeNamed(each.take)).toBe(wanted)
        }
      }
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OpenCalls } from './open-calls.js'

const name = fc.constantFrom('find', 'look', 'ask')
const step = fc.oneof(
  name.map((add) => ({ add })),
  name.map((take) => ({ take })),
  fc.constant({ take: undefined }),
)

it('open calls are taken in their order, each once, by name or as they come', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const calls = new OpenCalls<string>()
      const list: string[] = []
      for (const [index, each] of steps.entries()) {
        if ('add' in each) {
          calls.add(each.add, `${each.add} ${index}`)
          list.push(`${each.add} ${index}`)
          continue
        }
        const at = list.findIndex((call) => each.take === undefined || call.startsWith(each.take))
        const [wanted] = at < 0 ? [] : list.splice(at, 1)
        expect(each.take === undefined ? calls.takeFirst() : calls.takeNamed(each.take)).toBe(wanted)
      }
    }),
  )
})

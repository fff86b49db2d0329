import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNestedDeeper } from './body.js'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('the depth of any JSON is seen as the value has it, whatever its strings hold', () => {
  const tricky = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n'), maxLength: 8 })
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      tricky,
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(tricky, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : undefined)
      const depth = depthOf(value)
      // Spaces make the text long enough to be looked at.
      expect(isNestedDeeper(text + ' '.repeat(100), depth)).toBe(false)
      if (depth > 0) expect(isNestedDeeper(text + ' '.repeat(100), depth - 1)).toBe(true)
    }),
  )
})

test('what is no JSON has an answer too', () => {
  for (const text of ['"', '"\\', '"\\"', '}}}}', ']'.repeat(100)])
    expect(isNestedDeeper(text.padEnd(100), 3)).toBe(false)
  expect(isNestedDeeper('['.repeat(100), 10)).toBe(true)
})

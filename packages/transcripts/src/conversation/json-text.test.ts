import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseJsonText } from './tool-values.js'

it('a value that was written as JSON, once or twice, is that value', () => {
  const value = { a: [1, 'b'] }
  expect(parseJsonText(JSON.stringify(value))).toEqual(value)
  expect(parseJsonText(JSON.stringify(JSON.stringify(value)))).toEqual(value)
  expect(parseJsonText(JSON.stringify(JSON.stringify(value)), 1)).toBe(JSON.stringify(value))
  for (const words of ['7', 'true', '{broken', 'Hi']) expect(parseJsonText(words)).toBe(words)
})

it('a whole number that JavaScript would round is the text of its digits, all others are numbers', () => {
  const large = '12345678901234567890'
  const json = `{"a":${large},"b":[-${large}, 9007199254740991],"c":0.${large},"d":"\\"${large}\\\\","e":1e${'0'.repeat(16)}2}`
  expect(parseJsonText(json)).toEqual({
    a: large,
    b: [`-${large}`, 9007199254740991],
    c: Number(`0.${large}`),
    d: `"${large}\\`,
    e: 100,
  })
})

it('formats every other value like JSON.stringify', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const json = JSON.stringify([...value, '0123456789012345'])
      expect(parseJsonText(json, 1)).toEqual(JSON.parse(json))
    }),
  )
})

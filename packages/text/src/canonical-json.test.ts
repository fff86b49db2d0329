import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.js'

/** The same value with the fields of every object in reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  )
}

it('returns the same JSON for any order of the fields', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
    }),
  )
})

it('omits the values that JSON omits from canonical JSON', () => {
  expect(canonicalJson({ b: undefined, a: [undefined, new Date(0)] })).toBe('{"a":[null,"1970-01-01T00:00:00.000Z"]}')
})

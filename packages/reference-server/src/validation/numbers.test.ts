import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './index.js'

const parse = (json: string) => parseJson(new TextEncoder().encode(json), 'application/json', 400)
const accepts = (json: string) => {
  try {
    parse(json)
    return true
  } catch {
    return false
  }
}

test('accepts every value that JSON.stringify writes, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = JSON.stringify(value)
      expect(JSON.stringify(parse(json))).toBe(json)
    }),
  )
})

test('a whole number comes back with its digits, or is refused, wherever it stands', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.json(), (number, json) => {
      const around = `[${json}, {"n" :\t${number}}, "${number}"]`
      if (accepts(around)) expect(JSON.stringify(parse(around))).toContain(`{"n":${number}}`)
      else expect(BigInt(Number(number)) === number && String(Number(number)) === String(number)).toBe(false)
    }),
  )
})

test('a number is refused exactly if it is out of range', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -500, max: 500 }), (digit, exponent) => {
      const json = `{"n":${digit}.5e${exponent}}`
      expect(accepts(json)).toBe(Number.isFinite(JSON.parse(json).n))
    }),
  )
})

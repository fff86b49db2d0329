import { expect, it } from 'vitest'
import { hasLongNumber } from './long-number.js'

const digits = (count: number) => '1234567890123456789012345678901234567890'.slice(0, count)

it('finds sixteen digits and more wherever they begin, and no fewer', () => {
  for (let before = 0; before < 40; before++) {
    for (const after of ['', ' and more']) {
      const around = (number: string) => `${'x'.repeat(before)}${number}${after}`
      expect([15, 16, 17, 31, 40].map((count) => hasLongNumber(around(digits(count))))).toEqual([
        false,
        true,
        true,
        true,
        true,
      ])
    }
  }
})

it('does not take digits together that something stands between', () => {
  expect(hasLongNumber(`${digits(15)}.${digits(15)}-${digits(15)}`)).toBe(false)
})

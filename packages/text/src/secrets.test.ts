import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hideSecrets } from './secrets.js'

it('hides every secret of a text of megabytes, wherever it is cut into parts', () => {
  const prefix = 'sk-service-api03-'
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 200 }), (gap, length) => {
      const times = Math.ceil(1_200_000 / (gap + length))
      const text = (tail: string) => `${'.'.repeat(gap)} ${prefix}${tail}`.repeat(times)
      expect(hideSecrets(text('a'.repeat(length)), []) === text('…')).toBe(true)
    }),
    { numRuns: 4 },
  )
})

it('hides a secret in a text whose other 10 million characters are one word', () => {
  expect(hideSecrets(`${'x'.repeat(10_000_000)} Bearer abcdefghij`, []).slice(-10)).toBe('x Bearer …')
})

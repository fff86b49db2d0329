import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOfBytes } from './text-of-bytes.js'

/** ASCII, with other characters and with bytes that are none far apart in it. */
const stretch = fc.tuple(
  fc.nat({ max: 700 }),
  fc.oneof(
    fc.constantFrom('', 'é', '“', '😀', '\uFEFF', '\uFFFD', '漢字漢字', 'é😀“'),
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
  ),
)
const file = fc
  .array(stretch, { maxLength: 12 })
  .map((parts) => Buffer.concat(parts.flatMap(([count, other]) => [Buffer.alloc(count, 'ab "\n'), Buffer.from(other)])))

describe('bytes as text', () => {
  it('are what a decoder makes of them, wherever they begin and end, and those that are no UTF-8 are told', () => {
    fc.assert(
      fc.property(file, fc.nat(), fc.nat(), (whole, one, other) => {
        // Some end behind the last byte.
        const [start = 0, end = 0] = [one, other].map((at) => at % (2 * whole.length + 1)).sort((a, b) => a - b)
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole.subarray(start, end))
        const repaired = !Buffer.from(text).equals(whole.subarray(start, end))
        expect(textOfBytes(whole, start, end)).toEqual({ text, repaired })
        expect(textOfBytes(Uint8Array.from(whole), start, end)).toEqual({ text, repaired })
      }),
    )
  })

  it('are text however long it is', () => {
    for (const length of [255, 256, 1 << 20, (1 << 20) + 1]) {
      const text = `${'a'.repeat(length - 3)}“`
      expect(textOfBytes(Buffer.from(text))).toEqual({ text, repaired: false })
    }
  })

  it('are text wherever in memory they lie, also beyond 2 GiB', () => {
    const text = `${'a'.repeat(1_000)}é`
    const memory = new ArrayBuffer(2 ** 31 + 2_048)
    for (const at of [0, 1, 2 ** 31 - 2, 2 ** 31 + 1]) {
      const bytes = Buffer.from(memory, at, 1_002)
      bytes.write(text)
      expect(textOfBytes(bytes)).toEqual({ text, repaired: false })
    }
  })
})

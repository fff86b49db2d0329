import { expect, it } from 'vitest'
import { parseSize, sizeText } from './size.js'

it.each([
  ['500kB', 500_000],
  ['1.5 GB', 1_500_000_000],
  ['20', 20],
  ['0.5b', undefined],
  ['0', undefined],
  ['1TB', undefined],
  ['', undefined],
])('%j is %j bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

it.each([
  [1, '1 kB'],
  [1_250_000, '1.3 MB'],
  [3_400_000_000, '3.40 GB'],
])('%j bytes are written as %j', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

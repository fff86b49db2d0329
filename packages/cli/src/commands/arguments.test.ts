import { expect, it } from 'vitest'
import { isIsoTime } from './arguments.js'

it.each([
  ['2026-01-31', true],
  ['2026-01-31T10:00:00Z', true],
  ['2026-02-30', false],
  ['2026-01-31T25:00:00Z', false],
  ['January 31, 2026', false],
])('%j as an ISO 8601 time: %j', (text, expected) => {
  expect(isIsoTime(text)).toBe(expected)
})

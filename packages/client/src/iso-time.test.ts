import { describe, expect, it } from 'vitest'
import { isIsoTime } from './check-input.js'

describe('an ISO 8601 time', () => {
  it.each([
    '2026-01-31',
    '2026-01-31T23:59',
    '2026-01-31T23:59:59Z',
    '2026-01-31t23:59:59.123456789z',
    '2026-01-31T23:59:59,5+05:30',
    '2026-01-31T23:59:59-0800',
    '2026-01-31T23:59:59+01',
    '2026-01-31 23:59:59',
    '2024-02-29',
    '2000-02-29',
    '0000-02-29',
  ])('may be written %s', (text) => {
    expect(isIsoTime(text)).toBe(true)
  })

  it.each([
    [
      'a day that the month does not have',
      ['2026-02-30', '2026-04-31T00:00:00Z', '2025-02-29', '1900-02-29', '2026-01-00'],
    ],
    ['a month that is none', ['2026-00-01', '2026-13-01']],
    ['an hour, minute or second that is none', ['2026-01-01T24:00Z', '2026-01-01T00:60Z', '2026-01-01T00:00:60Z']],
    ['an offset that is none', ['2026-01-01T00:00+24:00', '2026-01-01T00:00+1', '2026-01-01Z']],
    ['another way of writing', ['', 'now', '1767225600', '1 Jan 2026', '2026-1-1', ' 2026-01-01', '2026-01-01\n']],
  ])('is not %s', (_, texts) => {
    expect(texts.filter(isIsoTime)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { durationText, isIsoTime, parseDuration, timeAgo } from './time.js'

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['30', 30_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['0', undefined],
    ['-1s', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
})

it.each([
  [0, '1 s'],
  [1.2, '2 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_200, '2 h'],
])('%j seconds are written as %j', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

it.each([
  ['2026-01-31', true],
  ['2026-01-31T10:00:00Z', true],
  ['2026-02-30', false],
  ['2026-01-31T25:00:00Z', false],
  ['January 31, 2026', false],
])('%j as an ISO 8601 time: %j', (text, expected) => {
  expect(isIsoTime(text)).toBe(expected)
})

describe('timeAgo', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T11:58:59Z', '1 minute ago'],
    ['2026-03-10T09:00:00Z', '3 hours ago'],
    ['2026-03-08T11:00:00Z', '2 days ago'],
    ['2026-01-31T10:00:00Z', '2026-01-31'],
    ['2026-03-11T10:00:00Z', '2026-03-11'],
    ['', ''],
    ['soon', 'soon'],
  ])('shows %s as "%s"', (iso, text) => {
    expect(timeAgo(iso, now)).toBe(text)
  })
})

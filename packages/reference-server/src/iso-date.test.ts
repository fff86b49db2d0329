import { expect, test } from 'vitest'
import { parseInstant, toIso } from './iso-date.js'

test.each([
  ['2026-01-31T10:20:30Z', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31T10:20:30.123456Z', '2026-01-31T10:20:30.123Z'],
  ['2026-01-31T10:20:30.29Z', '2026-01-31T10:20:30.290Z'],
  ['2026-01-31T10:20:30+02:00', '2026-01-31T08:20:30.000Z'],
  ['2026-01-31T10:20-0130', '2026-01-31T11:50:00.000Z'],
  ['2026-01-31T10:20:30', '2026-01-31T10:20:30.000Z'],
  ['0050-01-01', '0050-01-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('%s is %s', (text, iso) => {
  expect(toIso(parseInstant(text)?.ms ?? Number.NaN)).toBe(iso)
})

test.each([
  '',
  'yesterday',
  '2026',
  '2026-13-01',
  '2026-02-30',
  '2025-02-29',
  '2026-01-01T25:00Z',
  '2026-01-01T10:00:00 01:00',
])('%j is no date', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('says when only a date was given', () => {
  expect(parseInstant('2026-01-31')?.dateOnly).toBe(true)
  expect(parseInstant('2026-01-31T00:00:00Z')?.dateOnly).toBe(false)
})

test.each([
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00.9999999999999Z', '2026-01-01T00:00:00.999Z'],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
])('%s is the instant %s', (text, expected) => {
  const instant = parseInstant(text)
  expect(instant && toIso(instant.ms)).toBe(expected)
})

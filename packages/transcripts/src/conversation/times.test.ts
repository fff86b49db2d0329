import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTime } from './conversation-builder.js'

const iso = (value: unknown, now?: number) => {
  const read = readTime(value, now)
  return read && ('iso' in read ? read.iso : read.error)
}

describe('a time', () => {
  it.each<[string | number, string]>([
    [1767225600, 'seconds'],
    [1767225600.5, 'seconds with a fraction'],
    [1767225600000, 'milliseconds'],
    [1767225600000000, 'microseconds'],
    ['1767225600000000000', 'nanoseconds in a text'],
    ['1767225600', 'seconds in a text'],
    ['2026-01-01', 'a day'],
    ['2026-01-01T00:00:00Z', 'no fraction'],
    ['2026-01-01 00:00:00 UTC', 'a blank for the T'],
    ['2026-01-01T01:00:00.000000+01:00', 'microseconds and a zone'],
    ['2026-01-01T00:00+0000', 'no seconds'],
    ['2025-12-31T19:00:00-05', 'a zone of hours'],
  ])('a time may be %j: %s', (value) => {
    expect(iso(value)).toBe(value === 1767225600.5 ? '2026-01-01T00:00:00.500Z' : '2026-01-01T00:00:00.000Z')
  })

  it('reads a time without a zone as UTC, and reports it', () => {
    expect(readTime('2026-01-01T10:00:00')).toEqual({ iso: '2026-01-01T10:00:00.000Z', zoneless: true })
    expect(readTime('2026-01-01T10:00:00.000Z')).toEqual({ iso: '2026-01-01T10:00:00.000Z', zoneless: false })
  })

  it.each([undefined, null, '', 0])('%j is no time', (value) => {
    expect(readTime(value)).toBeUndefined()
  })

  it.each([
    ['yesterday', 'time that cannot be read'],
    ['2026-02-30', 'time that cannot be read'],
    ['2026-02-30T10:00:00Z', 'time that cannot be read'],
    ['2026-13-01T10:00:00Z', 'time that cannot be read'],
    [true, 'time that cannot be read'],
    [{}, 'time that cannot be read'],
    [Number.NaN, 'time that cannot be read'],
    [Number.POSITIVE_INFINITY, 'time in the future'],
    [1, 'time before 2000'],
    ['0001-01-01T00:00:00.000Z', 'time before 2000'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('the error for %j as a time says why', (value, said) => {
    expect(iso(value)).toBe(said)
  })

  it('more than a day after the present is no time', () => {
    const now = Date.UTC(2026, 0, 1)
    expect(iso('2026-01-01T23:00:00Z', now)).toBe('2026-01-01T23:00:00.000Z')
    expect(iso('2026-01-02T01:00:00Z', now)).toBe('time in the future')
    expect(iso('9999-12-31T23:59:59.999Z', now)).toBe('time in the future')
  })

  it('a time is always ISO 8601 or an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.double(), fc.date({ noInvalidDate: true }).map(String)), (value) => {
        const read = readTime(value)
        if (read && 'iso' in read) expect(new Date(read.iso).toISOString()).toBe(read.iso)
      }),
    )
  })
})

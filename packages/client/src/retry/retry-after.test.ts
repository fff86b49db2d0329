import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate, parseRetryAfter } from './retry-after.js'

const now = Date.parse('2026-11-21T10:00:00Z')

describe('Retry-After', () => {
  it.each([
    ['12', 12_000],
    [' 12 ', 12_000],
    ['1.5', 1_500],
    ['29.999813079833984', 29_999.813079833984],
    ['0000000030', 30_000],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:00:30 GMT', 30_000],
    ['Sat Nov 21 10:00:30 2026', 30_000],
    ['Sat Nov  7 10:00:30 2026', undefined],
  ])('reads %j as %j ms', (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms)
  })

  it.each(['', '0', '-5', 'soon', '12s', 'NaN', 'Infinity', 'Sat, 31 Feb 2027 10:00:00 GMT', '2026-11-21T10:00:30Z'])(
    'asks for nothing when it is %j',
    (value) => {
      expect(parseRetryAfter(value, now)).toBeUndefined()
    },
  )

  it('asks for nothing when it is absent or past', () => {
    expect(parseRetryAfter(null, now)).toBeUndefined()
    expect(parseRetryAfter('Sat, 21 Nov 2026 09:59:59 GMT', now)).toBeUndefined()
  })

  it('reads a two-digit year more than fifty years ahead as past', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', now)).toBe(Date.parse('1994-11-06T08:49:37Z'))
    expect(parseHttpDate('Friday, 06-Nov-76 08:49:37 GMT', now)).toBe(Date.parse('2076-11-06T08:49:37Z'))
  })

  it('reads every date that a server can send, in each of the three forms', () => {
    // Two digits of a year say no more.
    const dates = fc.date({ min: new Date('1980-01-01'), max: new Date('2070-12-31T23:59:59Z'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, (date) => {
        const instant = Math.floor(date.getTime() / 1_000) * 1_000
        const [weekday, day, month, year = '', time] = date.toUTCString().replace(',', '').split(' ')
        const forms = [
          date.toUTCString(),
          `${weekday}day, ${day}-${month}-${year.slice(2)} ${time} GMT`,
          `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`,
        ]
        for (const form of forms) expect(parseHttpDate(form, now)).toBe(instant)
      }),
    )
  })

  it('gives a positive number or nothing, whatever comes', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = parseRetryAfter(value, now)
        expect(ms === undefined || (Number.isFinite(ms) && ms > 0)).toBe(true)
      }),
    )
  })
})

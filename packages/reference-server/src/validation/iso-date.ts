const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i

interface Instant {
  /** Milliseconds since the epoch. */
  ms: number
  /** True for a date: `ms` is the start of that day in UTC. */
  dateOnly: boolean
}

/**
 * Parse an ISO 8601 calendar date or date-time; undefined for any other text. Without an offset it is UTC; a leap second is
 * the second after it.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  // Date.UTC would read years below 100 as 19xx. 30 February becomes a day of March, and is refused.
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return { ms: date.getTime(), dateOnly: true }
  const millis = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second ?? 0)) * 1000 + millis
  const ms = date.getTime() + time - offsetMs(zone)
  // With its offset, the instant may be outside the years of four digits.
  return ms >= firstMs && ms <= lastMs ? { ms, dateOnly: false } : undefined
}

const firstMs = Date.parse('0000-01-01T00:00:00.000Z')
/** The last millisecond of the year 9999. */
export const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

export const toIso = (ms: number): string => new Date(ms).toISOString()

function offsetMs(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

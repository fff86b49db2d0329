const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i

/** An ISO 8601 date or date-time as an instant. */
export interface Instant {
  /** Milliseconds since the epoch. */
  ms: number
  /** Only a date was given: `ms` is the start of that day in UTC. */
  dateOnly: boolean
}

/**
 * Reads an ISO 8601 calendar date or date-time; without an offset it is UTC, and a leap second is the second after it.
 * Undefined when it is none.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  // Date.UTC takes years below 100 for the 20th century, and moves 30 February into March: both show here.
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return { ms: date.getTime(), dateOnly: true }
  const millis = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second ?? 0)) * 1000 + millis
  const ms = date.getTime() + time - offsetMs(zone)
  // An offset may lead out of the years that have four digits, and so out of what an answer can say.
  return ms >= firstMs && ms <= lastMs ? { ms, dateOnly: false } : undefined
}

const firstMs = Date.parse('0000-01-01T00:00:00.000Z')
/** The last millisecond that an answer can name. */
export const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** An instant in the form that every answer uses: UTC with milliseconds. */
export const toIso = (ms: number): string => new Date(ms).toISOString()

function offsetMs(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

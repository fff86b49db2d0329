/** A time as a file has it, read; or why it cannot be. */
export type ReadTime = { iso: string; zoneless: boolean } | { flaw: string }

const earliest = Date.UTC(2000, 0, 1)
const day = 86_400_000

/**
 * A time as ISO 8601 in UTC with milliseconds; undefined for nothing. Numbers, and texts of digits, count from 1970:
 * their size tells seconds, milliseconds, microseconds and nanoseconds apart. A text without a zone is UTC. What lies
 * before 2000, or more than a day after `now` (milliseconds since 1970), is a filler and no time.
 */
export function readTime(value: unknown, now = Number.POSITIVE_INFINITY): ReadTime | undefined {
  if (value === undefined || value === null || value === '' || value === 0) return undefined
  const iso = typeof value === 'string' ? storedOf(value) : undefined
  if (iso !== undefined && (now === Number.POSITIVE_INFINITY || Date.parse(iso) <= now + day)) {
    return { iso, zoneless: false }
  }
  const read = isNumeric(value) ? { ms: sinceEpoch(Number(value)), zoneless: false } : ofText(value)
  if (read === undefined || Number.isNaN(read.ms)) return { flaw: 'time that cannot be read' }
  if (read.ms < earliest) return { flaw: 'time before 2000' }
  if (read.ms > Math.min(now + day, 8.64e15)) return { flaw: 'time in the future' }
  return { iso: isoOf(Math.trunc(read.ms)), zoneless: read.zoneless }
}

let knownDay = Number.NaN
let dateOfDay = ''

/** The result of `toISOString`, with the date kept: most times of a conversation are of one day. */
function isoOf(ms: number): string {
  const days = Math.floor(ms / day)
  if (days !== knownDay) {
    knownDay = days
    dateOfDay = new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length)
  }
  const rest = ms - days * day
  const seconds = Math.floor(rest / 1000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  const thousandths = rest % 1000
  return `${dateOfDay}${clock}.${thousandths < 100 ? '0' : ''}${two(thousandths)}Z`
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^\s*\d{9,}(\.\d+)?\s*$/.test(value))
}

function sinceEpoch(value: number): number {
  if (value > 1e17) return value / 1e6
  if (value > 1e14) return value / 1e3
  return value > 1e11 ? value : value * 1e3
}

const isoLike = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?(?:\s*(Z|z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/

/** ISO 8601 and its habits: a blank for the T, more digits than milliseconds, `+0200`, no zone. */
function ofText(value: unknown): { ms: number; zoneless: boolean } | undefined {
  if (typeof value !== 'string') return undefined
  const found = isoLike.exec(value.trim())
  const date = found?.[1]
  if (!found || date === undefined) return undefined
  const minutes = found[2]
  const zone = found[5]
  if (minutes === undefined) return { ms: isDay(date) ? Date.parse(date) : Number.NaN, zoneless: false }
  const ms = `${found[4] ?? ''}000`.slice(0, 3)
  const at = Date.parse(`${date}T${minutes}${found[3] ?? ':00'}.${ms}${isoZone(zone)}`)
  return { ms: isDay(date) ? at : Number.NaN, zoneless: zone === undefined }
}

/** A time since 2000 that there is, as it is stored: most are written so but for what follows the seconds. */
function storedOf(text: string): string | undefined {
  if (!written.test(text) || !isDay(text)) return undefined
  if (text.length === 24) return text
  return `${text.slice(0, 19)}.${text.charCodeAt(19) === point ? text.slice(20, 23) : '000'}Z`
}

const point = 0x2e
const written = /^2\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3,})?(?:Z|\+00:00)$/

/** True if a text begins with a day that the calendar has: Date.parse takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const year = digits(text, 0) * 100 + digits(text, 2)
  const month = digits(text, 5)
  const date = digits(text, 8)
  if (month < 1 || month > 12 || date < 1) return false
  if (date <= 28) return true
  if (month !== 2) return date <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31)
  return date === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** The number of two digits. */
function digits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || !/^[+-]/.test(zone)) return 'Z'
  const digits = zone.replace(':', '').slice(1).padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

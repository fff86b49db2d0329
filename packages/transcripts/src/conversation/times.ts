type ReadTime = { iso: string; zoneless: boolean } | { error: string }

const earliest = Date.UTC(2000, 0, 1)
const day = 86_400_000

/**
 * A time as ISO 8601 in UTC with milliseconds; undefined for an empty value. Numbers and texts of digits count seconds,
 * milliseconds, microseconds or nanoseconds since 1970, depending on their size. A text without a zone is UTC. A time
 * before 2000, or more than a day after `now` (milliseconds since 1970), is an error.
 */
export function readTime(value: unknown, now = Number.POSITIVE_INFINITY): ReadTime | undefined {
  if (value === undefined || value === null || value === '' || value === 0) return undefined
  const read = isNumeric(value) ? { ms: sinceEpoch(Number(value)), zoneless: false } : ofText(value)
  if (read === undefined || Number.isNaN(read.ms)) return { error: 'time that cannot be read' }
  if (read.ms < earliest) return { error: 'time before 2000' }
  if (read.ms > Math.min(now + day, 8.64e15)) return { error: 'time in the future' }
  return { iso: new Date(read.ms).toISOString(), zoneless: read.zoneless }
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

/** Accepts ISO 8601 and common deviations: a blank for the T, more digits than milliseconds, `+0200`, no zone. */
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

/** True if the calendar has the day: Date.parse accepts 30 February as 2 March. */
function isDay(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || !/^[+-]/.test(zone)) return 'Z'
  const digits = zone.replace(':', '').slice(1).padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

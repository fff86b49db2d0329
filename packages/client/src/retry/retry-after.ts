const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

// RFC 9110, section 5.6.7: the current form and two obsolete ones.
const imfFixdate = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/i
const rfc850 = /^\w{6,9}, (\d{2})-(\w{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/i
const asctime = /^\w{3} (\w{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i

/** Parses an HTTP date, in milliseconds since the epoch. */
export function parseHttpDate(value: string, now: number): number | undefined {
  const text = value.trim()
  let match = imfFixdate.exec(text)
  if (match) return instant(match[3], match[2], match[1], match[4], match[5], match[6])
  match = asctime.exec(text)
  if (match) return instant(match[6], match[1], match[2], match[3], match[4], match[5])
  match = rfc850.exec(text)
  if (!match) return undefined
  // A two-digit year more than 50 years ahead is in the past.
  const thisYear = new Date(now).getUTCFullYear()
  let year = thisYear - (thisYear % 100) + Number(match[3])
  if (year > thisYear + 50) year -= 100
  return instant(String(year), match[2], match[1], match[4], match[5], match[6])
}

function instant(...[year, month, day, hour, minute, second]: (string | undefined)[]): number | undefined {
  const monthIndex = months.indexOf((month ?? '').toLowerCase())
  const time = Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second))
  const date = new Date(time)
  // Date.UTC turns 31 February into a day of March.
  return monthIndex >= 0 && date.getUTCMonth() === monthIndex && date.getUTCDate() === Number(day) ? time : undefined
}

/** The longest `Retry-After` that is ever waited for, in milliseconds: a day. */
export const longestRetryAfterMs = 86_400_000

/** Seconds from which a number is no wait, but seconds or milliseconds since 1970. */
const epochSeconds = 1e9

/** The seconds of `Retry-After`; undefined for any other form. A repeated header arrives as a list: the longest. */
const secondsOf = (text: string): number | undefined =>
  /^[\d.]+(\s*,\s*[\d.]+)*$/.test(text) ? Math.max(...text.split(',').map(Number)) : undefined

/** True for a `Retry-After` that is an instant in seconds or milliseconds since 1970, which no standard knows. */
export const isEpoch = (value: string | null | undefined): boolean =>
  (secondsOf(value?.trim() ?? '') ?? 0) >= epochSeconds

/**
 * Parses `Retry-After` to milliseconds from `now`, the server's time; undefined if it is absent, invalid, an epoch or not in
 * the future.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (!text || isEpoch(text)) return undefined
  const seconds = secondsOf(text)
  const ms = seconds === undefined ? (parseHttpDate(text, now) ?? Number.NaN) - now : seconds * 1_000
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}

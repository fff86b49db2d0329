// RFC 9110, section 5.6.7: the current form, and two obsolete ones with a two-digit year and without a zone.
const dayFirst = /^\w{3,9}, (\d\d)[ -](\w{3})[ -](\d{2}|\d{4}) (\d\d:\d\d:\d\d) GMT$/i
const monthFirst = /^\w{3} (\w{3}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/

/** Parses an HTTP date, in milliseconds since the epoch. */
export function parseHttpDate(value: string, now: number): number | undefined {
  const text = value.trim().replace(monthFirst, 'Day, $2-$1-$4 $3 GMT').replace(',  ', ', 0')
  const [, day = '', month = '', givenYear = '', time = ''] = dayFirst.exec(text) ?? []
  let year = Number(givenYear)
  if (givenYear.length === 2) {
    // A two-digit year more than 50 years ahead is in the past.
    const thisYear = new Date(now).getUTCFullYear()
    year += thisYear - (thisYear % 100)
    if (year > thisYear + 50) year -= 100
  }
  const ms = Date.parse(`${day} ${month} ${year} ${time} GMT`)
  // Date.parse turns 31 February into a day of March.
  return new Date(ms).getUTCDate() === Number(day) ? ms : undefined
}

/** The longest `Retry-After` that is ever waited for, in milliseconds: a day. */
export const longestRetryAfterMs = 86_400_000

/** True for a `Retry-After` of 10^9 or more: no wait, but an instant in seconds or milliseconds since 1970. */
export const isEpoch = (value: string | null | undefined): boolean =>
  (value ?? '').split(',').some((part) => /^[\s\d.]+$/.test(part) && Number(part) >= 1e9)

/**
 * Parses `Retry-After` to milliseconds from `now`, the server's time; undefined if it is absent, invalid, an epoch or not in
 * the future.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (!text || isEpoch(text)) return undefined
  // A repeated header arrives as a list; use the longest.
  const seconds = /^[\d.]+(\s*,\s*[\d.]+)*$/.test(text) ? Math.max(...text.split(',').map(Number)) : undefined
  const ms = seconds === undefined ? (parseHttpDate(text, now) ?? Number.NaN) - now : seconds * 1_000
  return ms > 0 ? ms : undefined
}

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `500ms`, `30s`, `2m`, `1h`, `7d`, or a number of seconds, in milliseconds; undefined when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match) return undefined
  const ms = Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 0)
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}

/** `1 s`, `90 s`, `5 min` or `3 h`: a span in seconds, rounded up to one second at least, as a person reads it. */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  if (whole < 120) return `${whole} s`
  return whole < 7_200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3_600)} h`
}

/** True for an ISO 8601 date, or date and time, of a day that exists. */
export function isIsoTime(text: string): boolean {
  const [, day] = /^(\d{4}-\d{2}-\d{2})/.exec(text) ?? []
  // Date.parse reads 30 February as 2 March.
  const exists = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true
  return exists && !Number.isNaN(Date.parse(text))
}

/** The time since an ISO 8601 time, as in "3 hours ago"; its date if that is more than 30 days; any other text unchanged. */
export function timeAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (Number.isNaN(ms)) return iso
  if (ms < 0 || ms > 30 * 86_400_000) return iso.slice(0, 10)
  const [unit, size] = spans.find(([, size]) => ms >= size) ?? ['minute', 60_000]
  const n = Math.floor(ms / size)
  return n === 0 ? 'just now' : `${n} ${unit}${n === 1 ? '' : 's'} ago`
}

const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

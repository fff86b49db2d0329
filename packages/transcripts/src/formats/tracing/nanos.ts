/** Nanoseconds since 1970, to order spans: from nanoseconds as a number or text, or from ISO 8601. */
export function nanosOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{1,25}$/.test(value)) return BigInt(value)
  const found = iso.exec(value.trim())
  if (!found) return undefined
  const zone = found[3] ?? 'Z'
  const ms = Date.parse(`${found[1]?.replace(' ', 'T')}${zone === 'UTC' ? 'Z' : zone}`)
  const fraction = (found[2] ?? '').slice(0, 9).padEnd(9, '0')
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction)
}

const iso = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/

/** Compare by start time; spans without one keep their place. */
export function byTime(a: { start?: bigint | undefined }, b: { start?: bigint | undefined }): number {
  if (a.start === undefined || b.start === undefined || a.start === b.start) return 0
  return a.start < b.start ? -1 : 1
}

/** Seconds for a time in nanoseconds; any other value stays. */
export function secondsOf(nanos: unknown): unknown {
  const read = nanosOf(nanos)
  return read === undefined ? nanos : Number(read / 1_000_000n) / 1000
}

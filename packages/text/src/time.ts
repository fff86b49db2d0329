const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `500ms`, `30s`, `2m`, `1h`, `7d`, or a number of seconds, in milliseconds; undefined when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match) return undefined
  const ms = Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 0)
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}

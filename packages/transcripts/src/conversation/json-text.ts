import { longNumber } from './sanitize.js'

/**
 * Parse a value that a logger encoded as JSON text, up to `times` times; any other value is returned as it is. A text
 * such as `7`, `true` or `null` stays text, because it may be a message. An integer beyond 2^53 becomes a text of its
 * digits.
 */
export function parseJsonText(value: unknown, times = 2): unknown {
  let current = value
  for (let left = times; left > 0 && typeof current === 'string' && /^\s*["[{]/.test(current); left--) {
    try {
      current = JSON.parse(longNumber.test(current) ? withLargeNumbersQuoted(current) : current)
    } catch {
      return current
    }
  }
  return current
}

/** The same JSON with quotes around the numbers that JavaScript would round. */
function withLargeNumbersQuoted(json: string): string {
  let quoted = ''
  let from = 0
  while (from < json.length) {
    const start = json.indexOf('"', from)
    if (start === -1) return quoted + quotedIn(json.slice(from))
    const end = endOfText(json, start)
    quoted += quotedIn(json.slice(from, start)) + json.slice(start, end)
    from = end
  }
  return quoted
}

function quotedIn(between: string): string {
  return between.replace(/(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (digits) =>
    String(Number(digits)) === digits ? digits : `"${digits}"`,
  )
}

function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0
    while (json[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return json.length
}

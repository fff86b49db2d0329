import { isObject } from './json.js'
import { maxDepth } from './json-scan.js'
import type { Losses } from './losses.js'

/**
 * The value with every string fit to be stored: no lone surrogate (UTF-8 has none) and no U+0000 (many databases
 * refuse it). The same object when nothing had to change. What is nested too deep to be written again is cut.
 */
export function clean<T>(value: T, losses: Losses): T {
  return cleanValue(value, losses, 0) as T
}

/** `clean` for one string. */
export function cleanText(text: string, losses: Losses): string {
  const stored = text.includes('\u0000') ? text.replaceAll('\u0000', '') : text
  if (stored.length < text.length) losses.add('changed', 'null character', text.length - stored.length)
  if (!mayHaveLoneSurrogate(stored)) return stored
  return stored.replace(loneSurrogate, () => {
    losses.add('changed', 'lone surrogate')
    return '\uFFFD'
  })
}

/** With the flag u a pair is one character, so only lone halves match. */
const loneSurrogate = /[\uD800-\uDFFF]/gu

/** `isWellFormed` is much the faster where it exists (ES2024). */
function mayHaveLoneSurrogate(text: string & { isWellFormed?: () => boolean }): boolean {
  return text.isWellFormed === undefined || !text.isWellFormed()
}

function cleanValue(value: unknown, losses: Losses, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, losses)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) {
    losses.add('cut', `value nested deeper than ${maxDepth} levels`)
    return null
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => cleanValue(item, losses, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  return isObject(value) ? cleanObject(value, losses, depth) : value
}

/** fromEntries defines fields, so that a key `__proto__` stays a key. */
function cleanObject(value: Record<string, unknown>, losses: Losses, depth: number): unknown {
  const entries = Object.entries(value)
  const cleaned = entries.map(
    ([key, item]) => [cleanText(key, losses), cleanValue(item, losses, depth + 1)] satisfies [string, unknown],
  )
  const same = cleaned.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1])
  return same ? value : Object.fromEntries(cleaned)
}

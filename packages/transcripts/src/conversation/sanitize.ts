import { type JsonObject, maxDepth } from '../json/index.js'
import type { Losses } from '../model/index.js'

/**
 * The value with every string fit to be stored: no lone surrogate (UTF-8 has none) and no U+0000 (many databases
 * refuse it). The same object when nothing had to change. What is nested too deep to be written again is cut, and a
 * number that was too long when it was parsed is counted.
 */
export function sanitize<T>(value: T, losses: Losses): T {
  return isClean(value, 0) ? value : (cleaned(value, losses, 0) as T)
}

/** `clean` for one string. */
export function sanitizeText(text: string, losses: Losses): string {
  if (isCleanText(text)) return text
  const stored = text.replaceAll('\u0000', '')
  if (stored.length < text.length)
    losses.add('changed', 'null character', 'many databases refuse it', text.length - stored.length)
  return stored.replace(loneSurrogates, () => {
    losses.add('changed', 'lone surrogate', 'UTF-8 has none')
    return '\uFFFD'
  })
}

/** With the flag u a pair is one character, so only lone halves match. */
const loneSurrogate = /[\uD800-\uDFFF]/u
const loneSurrogates = /[\uD800-\uDFFF]/gu

/** `isWellFormed` (ES2024) is much faster where it exists. */
function isCleanText(text: string & { isWellFormed?: () => boolean }): boolean {
  return !text.includes('\u0000') && (text.isWellFormed?.() ?? !loneSurrogate.test(text))
}

/** Nearly every value is clean, so it is looked through first, and copied only when it is not. */
function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value === 'number') return !isRounded(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  for (const key in value) if (!isCleanText(key) || !isClean((value as JsonObject)[key], depth + 1)) return false
  return true
}

/** Matches a text with so many digits in a row that a number of them may be rounded. */
export const longNumber = /\d{16}/

/** True if it is a whole number that may have had other digits; those with an exponent are not meant as such. */
export function isRounded(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21
}

function cleaned(value: unknown, losses: Losses, depth: number): unknown {
  if (typeof value === 'string') return sanitizeText(value, losses)
  if (typeof value === 'number' && isRounded(value))
    losses.add('changed', 'whole number beyond 2^53', 'JavaScript rounds it')
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) {
    losses.add('cut', `value nested deeper than ${maxDepth} levels`, 'it could not be written again')
    return null
  }
  if (Array.isArray(value)) return value.map((item) => cleaned(item, losses, depth + 1))
  // fromEntries defines fields, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [sanitizeText(key, losses), cleaned(item, losses, depth + 1)]),
  )
}

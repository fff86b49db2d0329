import { type JsonObject, maxDepth } from '../json/index.js'
import type { Losses } from '../model/index.js'

/**
 * Remove U+0000, which many databases refuse, and replace lone surrogates, which UTF-8 cannot encode, in all strings of
 * a value. Returns the same object if nothing had to change. Values nested too deep are cut, numbers that JavaScript cannot
 * hold are dropped; rounded integers are counted.
 */
export function sanitize<T>(value: T, losses: Losses): T {
  return isClean(value, 0) ? value : (sanitized(value, losses, 0) as T)
}

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

/** With the flag u, a surrogate pair is one character, so only lone surrogates match. */
const loneSurrogate = /[\uD800-\uDFFF]/u
const loneSurrogates = /[\uD800-\uDFFF]/gu

/** `isWellFormed` (ES2024) is faster but missing in older browsers. */
function isCleanText(text: string & { isWellFormed?: () => boolean }): boolean {
  return !text.includes('\u0000') && (text.isWellFormed?.() ?? !loneSurrogate.test(text))
}

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value === 'number') return !isRounded(value) && Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  for (const key in value) if (!isCleanText(key) || !isClean((value as JsonObject)[key], depth + 1)) return false
  return true
}

/** Matches a text whose numbers JavaScript may round. */
export const longNumber = /\d{16}/

/** Matches a text whose numbers may be above 1.8e308. */
export const largeNumber = /\d{309}|\d[eE]\+?\d{2}/

/** True for an integer that may have been rounded. Numbers from 1e21 are written with an exponent and are not ids. */
export function isRounded(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21
}

function sanitized(value: unknown, losses: Losses, depth: number): unknown {
  if (typeof value === 'string') return sanitizeText(value, losses)
  if (typeof value === 'number' && isRounded(value))
    losses.add('changed', 'whole number beyond 2^53', 'JavaScript rounds it')
  if (value === Infinity || value === -Infinity) {
    losses.add('dropped', 'number above 1.8e308', 'JavaScript cannot hold it')
    return null
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) {
    losses.add('cut', `value nested deeper than ${maxDepth} levels`, 'it could not be written again')
    return null
  }
  if (Array.isArray(value)) return value.map((item) => sanitized(item, losses, depth + 1))
  // fromEntries keeps a key `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [sanitizeText(key, losses), sanitized(item, losses, depth + 1)]),
  )
}

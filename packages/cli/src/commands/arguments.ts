import type { Shard } from '@svc/bulk'
import { nearest, parseDuration, parseShard } from '@svc/text'
import { InvalidArgumentError } from 'commander'
import type { Moment } from '../input/index.js'
import { parseSize } from '../size.js'

export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Expected a duration such as 500ms, 30s or 2m.')
  return ms
}

/** A time from `7d`, `12h` or `30m` before now, or from an ISO 8601 date or time. */
export function moment(text: string): Moment {
  const agoMs = /[a-z]$/.test(text) ? parseDuration(text) : undefined
  if (agoMs !== undefined) return { agoMs }
  if (isIsoTime(text)) return { at: text }
  throw new InvalidArgumentError('Expected a duration such as 7d or 12h, or a date such as 2026-01-31.')
}

export const upTo =
  (max: number, min = 1) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min}${max === Infinity ? '' : ` to ${max}`}.`)
  }

export function bytes(text: string): number {
  const value = parseSize(text)
  if (value !== undefined) return value
  throw new InvalidArgumentError('Expected a size such as 500kB or 32MB.')
}

export function keyValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

export function shard(text: string): Shard {
  const parsed = parseShard(text)
  if (parsed) return parsed
  throw new InvalidArgumentError('Expected a shard such as 1/8, from 1/8 to 8/8.')
}

/** Some words of a list, with commas between them; a repeated flag adds to the earlier ones. */
export const someOf =
  <Word extends string>(words: readonly Word[], advice = '') =>
  (text: string, before: readonly Word[] = []): readonly Word[] => {
    const named = text.split(',').map((word) => word.trim())
    const unknown = named.find((word) => !words.some((each) => each === word))
    if (unknown === undefined) return words.filter((word) => named.includes(word) || before.includes(word))
    const meant = nearest(unknown, words)
    const hint = meant ? `\n(Did you mean ${meant}?)` : ''
    throw new InvalidArgumentError(`Expected some of ${words.join(',')}${advice}.${hint}`)
  }

export const texts = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

export function isoTime(text: string): string {
  if (isIsoTime(text)) return text
  throw new InvalidArgumentError('Expected an ISO 8601 time such as 2026-01-31T10:00:00Z.')
}

/** True for an ISO 8601 date, or date and time, of a day that exists. */
export function isIsoTime(text: string): boolean {
  const [, day] = /^(\d{4}-\d{2}-\d{2})/.exec(text) ?? []
  // Date.parse reads 30 February as 2 March.
  const exists = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true
  return exists && !Number.isNaN(Date.parse(text))
}

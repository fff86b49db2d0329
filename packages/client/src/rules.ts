import type { Violation } from './errors.js'
import { isIsoTime } from './iso-time.js'
import { isObject, utf8Length } from './json.js'

/** What is wrong with an input; nothing when both lists are empty. */
export interface InputReport {
  /** What breaks a bound of the interface: a verb rejects it with an InputError. */
  violations: Violation[]
  /** What only a stricter reading refuses (1 MB as 10^6 bytes): a verb sends it and tells of it as an event. */
  warnings: Violation[]
}

/** Looks at a value as JSON will send it, and reports what is wrong with it under its JSON pointer. Quotes no text. */
export type Rule = (value: unknown, pointer: string, report: InputReport) => void

export const refuse = ({ violations }: InputReport, pointer: string, expected: string, came: string | number): void => {
  violations.push({ pointer, message: `expected ${expected}, got ${came}` })
}

/** A rule that a predicate tells; `expected` names what it wants. */
const that =
  (expected: string, holds: (value: unknown) => boolean): Rule =>
  (value, pointer, report) => {
    if (!holds(value)) refuse(report, pointer, expected, nameOf(value))
  }

export const string = that('a string', (value) => typeof value === 'string')
export const flag = that('true or false', (value) => typeof value === 'boolean')
export const anyObject = that('an object', isObject)
export const present = that('a value', (value) => value !== undefined)
export const time = that('an ISO 8601 time', (value) => typeof value === 'string' && isIsoTime(value))
export const oneOf =
  (words: readonly string[]): Rule =>
  (value, pointer, report) => {
    if (words.includes(value as string)) return
    // A word that is misspelt may be shown; a text may be somebody's.
    const misspelt = typeof value === 'string' && /^[\w-]{1,24}$/.test(value)
    refuse(report, pointer, `one of ${words.join(', ')}`, misspelt ? `"${value}"` : nameOf(value))
  }

export const optional =
  (rule: Rule): Rule =>
  (value, pointer, report) =>
    value === undefined || rule(value, pointer, report)

export const object =
  (fields: Record<string, Rule>): Rule =>
  (value, pointer, report) => {
    if (!isObject(value)) return refuse(report, pointer, 'an object', nameOf(value))
    for (const name in fields)
      fields[name]?.(Object.hasOwn(value, name) ? sent(value[name]) : undefined, `${pointer}/${name}`, report)
  }

export const list =
  (rule: Rule, { min, max }: Bound = {}): Rule =>
  (value, pointer, report) => {
    if (!Array.isArray(value)) return refuse(report, pointer, 'an array', nameOf(value))
    if (exceeds(value.length, { min, max })) refuse(report, pointer, `${rangeOf({ min, max })} items`, value.length)
    for (const [i, item] of value.slice(0, max).entries()) rule(sent(item), `${pointer}/${i}`, report)
  }

/** Characters as the interface counts them: Unicode code points. */
export const text =
  (bound: Bound): Rule =>
  (value, pointer, report) => {
    if (typeof value !== 'string') return string(value, pointer, report)
    const { max = Infinity } = bound
    // A code point is at most two units long; what is far too long is not counted.
    const length = value.length <= max || value.length > 2 * max ? value.length : [...value].length
    if (exceeds(length, bound))
      refuse(report, pointer, `${rangeOf(bound)} characters`, value.length > 2 * max ? `more than ${max}` : length)
  }

/** A text of so many bytes of UTF-8. */
export const bytes =
  (what: string, bound: ByteBound): Rule =>
  (value, pointer, report) => {
    if (typeof value !== 'string') return string(value, pointer, report)
    // A unit is at most three bytes long.
    if (value.length * 3 > bound.warn) checkBytes(utf8Length(value), what, bound, pointer, report)
  }

export function checkBytes(
  size: number,
  what: string,
  { max, warn }: ByteBound,
  pointer: string,
  report: InputReport,
): void {
  if (size > max) return refuse(report, pointer, `${what} to be at most ${max} bytes`, size)
  if (size <= warn) return
  const message = `${what} is ${size} bytes; a service that reads MB as 10^6 bytes refuses it`
  report.warnings.push({ pointer, message })
}

/** A value as JSON takes it: what its `toJSON` gives, and nothing for what has no JSON. */
export function sent(value: unknown): unknown {
  const own = (value as { toJSON?: unknown } | null | undefined)?.toJSON
  const given = typeof own === 'function' ? own.call(value) : value
  return typeof given === 'function' || typeof given === 'symbol' ? undefined : given
}

interface Bound {
  min?: number | undefined
  max?: number | undefined
}
interface ByteBound {
  max: number
  warn: number
}

const exceeds = (n: number, { min = 0, max = Infinity }: Bound): boolean => n < min || n > max
const rangeOf = ({ min, max }: Bound): string => (min ? `${min} to ${max}` : `at most ${max}`)

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : `a ${typeof value}`
}

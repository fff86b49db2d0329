import { nearest } from '@svc/text'
import { parseInstant } from './iso-date.js'
import { truncate } from './text.js'

/** One problem: its JSON pointer, and what was expected there. Never the value itself: that is the user's text. */
export interface Violation {
  pointer: string
  expected: string
}

/** The violations found so far. */
interface Violations extends Array<Violation> {
  /** True: fields that an open object does not know count, too. Default false. */
  isStrict?: boolean
}

/** Check a value and add its violations to `out`, with pointers relative to the value. */
export type Validator = (value: unknown, out: Violations) => void

type Fields = Readonly<Record<string, Validator>>

/** The unit of lengths: the ambiguity `charactersAre`. */
export type CharacterUnit = 'code points' | 'utf-16 units'

/** An array is not checked further after so many violations: a body could have millions. */
const maxViolations = 50

/**
 * Throw `toError` with all violations of a value, such as `/name: expected 1 to 500 characters; /turns/0/role: required`.
 * `root` names the value itself.
 */
export function assertValid(
  value: unknown,
  validator: Validator,
  toError: (problems: string) => Error,
  root = 'body',
): void {
  const violations: Violation[] = []
  validator(value, violations)
  if (violations.length === 0) return
  const shown = violations.slice(0, maxViolations).map(({ pointer, expected }) => `${pointer || root}: ${expected}`)
  if (violations.length >= maxViolations) shown.push('and perhaps more')
  throw toError(shown.join('; '))
}

/** The violations of a value, with the fields that no one reads. */
export function strictViolations(value: unknown, validator: Validator): readonly Violation[] {
  const violations: Violations = Object.assign([], { isStrict: true })
  validator(value, violations)
  return violations.slice(0, maxViolations)
}

/** Makes a function that checks a value from JSON, and throws an Error with a pointer to every problem. */
export const reader =
  <T>(title: string, validator: Validator) =>
  (value: unknown): T => {
    assertValid(value, validator, (problems) => new Error(`Invalid ${title}: ${problems}.`))
    return value as T
  }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const checkedBy =
  (problemOf: (value: unknown) => string | undefined): Validator =>
  (value, out) => {
    const expected = problemOf(value)
    if (expected !== undefined) out.push({ pointer: '', expected })
  }

/** A value that has a property, such as `expected a string`. */
export const expecting = (expected: string, isValid: (value: unknown) => boolean): Validator =>
  checkedBy((value) => (isValid(value) ? undefined : expected))

export const string = expecting('expected a string', (value) => typeof value === 'string')
export const boolean = expecting('expected true or false', (value) => typeof value === 'boolean')
export const anything: Validator = () => {}
export const anyObject = expecting('expected an object', isObject)
export const isoDate = expecting(
  'expected an ISO 8601 date or date-time',
  (value) => typeof value === 'string' && parseInstant(value) !== undefined,
)

export function text(min: number, max: number, unit: CharacterUnit): Validator {
  const expected = min > 0 ? `expected ${min} to ${max} characters` : `expected at most ${max} characters`
  return expecting(expected, (value) => {
    if (typeof value !== 'string' || value.length < min) return false
    // A code point has at most two units.
    return value.length <= max || (unit === 'code points' && value.length <= 2 * max && [...value].length <= max)
  })
}

export const wholeNumber = (min?: number): Validator =>
  expecting(
    `expected a whole number${min === undefined ? '' : ` from ${min}`}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= (min ?? -Infinity),
  )

export const oneOf = (values: readonly string[]): Validator =>
  expecting(`expected one of ${values.join(', ')}`, (value) => values.includes(value as string))

export function list(item: Validator, min = 0, max = Number.POSITIVE_INFINITY): Validator {
  const expected = Number.isFinite(max) ? `expected an array of ${min} to ${max} items` : 'expected an array'
  return (value, out) => {
    const items = Array.isArray(value) ? value : []
    if (!Array.isArray(value) || items.length < min || items.length > max) out.push({ pointer: '', expected })
    for (let i = 0; i < items.length && out.length < maxViolations; i += 1) validateAt(i, item, items[i], out)
  }
}

/** An object with these fields, own or inherited, and any others. An undefined field counts as absent. */
export function object(required: Fields, optional: Fields = {}): Validator {
  const fields = Object.entries({ ...required, ...optional })
  const names = fields.map(([name]) => name)
  return (value, out) => {
    if (!isObject(value)) return anyObject(value, out)
    for (const [name, validator] of fields) {
      if (value[name] !== undefined) validateAt(name, validator, value[name], out)
      else if (Object.hasOwn(required, name)) out.push({ pointer: `/${name}`, expected: 'required' })
    }
    if (out.isStrict) unknownFields(value, names, out)
  }
}

export function closed(required: Fields, optional: Fields = {}): Validator {
  const open = object(required, optional)
  const names = Object.keys({ ...required, ...optional })
  return (value, out) => {
    open(value, out)
    if (isObject(value) && !out.isStrict) unknownFields(value, names, out)
  }
}

function unknownFields(value: Record<string, unknown>, names: readonly string[], out: Violations): void {
  for (const name of Object.keys(value)) {
    if (out.length >= maxViolations) return
    if (names.includes(name)) continue
    out.push({ pointer: `/${truncate(name, maxName)}`, expected: `no such field${suggestion(name, names)}` })
  }
}

export const record =
  (item: Validator): Validator =>
  (value, out) => {
    if (!isObject(value)) return anyObject(value, out)
    for (const [name, each] of Object.entries(value)) validateAt(name, item, each, out)
  }

/** Add a violation for each id that occurs at more than one pointer. */
export function distinct(ids: ReadonlyMap<string, unknown>, out: Violation[]): void {
  const firsts = new Map<unknown, string>()
  for (const [pointer, id] of ids) {
    const first = id === undefined ? undefined : firsts.get(id)
    if (first === undefined) firsts.set(id, pointer)
    else out.push({ pointer, expected: `expected another value than ${first}` })
  }
}

/** Longer names are cut, and not compared with others: that would take long. */
const maxName = 100

/** The name that was likely meant, in parentheses; empty if none is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const meant = word.length > maxName ? undefined : nearest(word, names)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** Validate a child. Pointers are built only for violations. */
function validateAt(name: string | number, validator: Validator, value: unknown, out: Violation[]): void {
  const start = out.length
  validator(value, out)
  for (const violation of out.slice(start)) violation.pointer = `/${name}${violation.pointer}`
}

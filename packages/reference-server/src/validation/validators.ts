import { parseInstant } from './iso-date.js'
import { codePoints } from './text.js'

/** Something wrong in a body: a JSON pointer, and what was expected there. Never what came: that is the user's text. */
export interface Violation {
  pointer: string
  expected: string
}

/** The fields of an object, each with its shape. */
export type Fields = Readonly<Record<string, Validator>>

/** Looks at a value and adds what is wrong with it to `out`, with pointers that begin at the value. */
export type Validator = (value: unknown, out: Violation[]) => void

/** How the bounds of a string are counted. */
export type Measure = (text: string) => number

/** The measures by the names of the reading `charactersAre`. */
export const measures: Record<'code points' | 'utf-16 units', Measure> = {
  'code points': codePoints,
  'utf-16 units': (text) => text.length,
}

/** So many violations are looked for; a body of millions of them would keep everybody waiting. */
const maxViolations = 50

/** What is wrong with a value, in the order of its fields; no more is looked at once there is enough. */
export function check(value: unknown, shape: Validator): Violation[] {
  const out: Violation[] = []
  shape(value, out)
  return out
}

/** The violations as one message, such as `/name: expected 1 to 500 characters; /turns/0/role: required`; at most 50. */
export function describeViolations(violations: readonly Violation[], whole = 'body'): string {
  const shown = violations.slice(0, maxViolations).map(({ pointer, expected }) => `${pointer || whole}: ${expected}`)
  if (violations.length >= maxViolations) shown.push('and perhaps more')
  return shown.join('; ')
}

/** A JSON object: no array, no null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value in which a function finds no problem. */
export const checkedBy =
  (problemOf: (value: unknown) => string | undefined): Validator =>
  (value, out) => {
    const expected = problemOf(value)
    if (expected !== undefined) out.push({ pointer: '', expected })
  }

export const string: Validator = expecting('expected a string', (value) => typeof value === 'string')
export const boolean: Validator = expecting('expected true or false', (value) => typeof value === 'boolean')
export const anything: Validator = () => {}
export const anyObject: Validator = expecting('expected an object', isObject)
export const isoDate: Validator = expecting(
  'expected an ISO 8601 date or date-time',
  (value) => typeof value === 'string' && parseInstant(value) !== undefined,
)

/** A string of `min` to `max` characters. */
export function text(min: number, max: number, measure: Measure): Validator {
  const expected = min > 0 ? `expected ${min} to ${max} characters` : `expected at most ${max} characters`
  return expecting(expected, (value) => {
    if (typeof value !== 'string' || value.length < min) return false
    return value.length <= max || measure(value) <= max
  })
}

/** A whole number of at least `min`. */
export const wholeNumber = (min: number): Validator =>
  expecting(`expected a whole number from ${min}`, (value) => Number.isSafeInteger(value) && (value as number) >= min)

/** One of some strings. */
export function oneOf(values: readonly string[]): Validator {
  return expecting(
    `expected one of ${values.join(', ')}`,
    (value) => typeof value === 'string' && values.includes(value),
  )
}

/** An array of `min` to `max` items of a shape. */
export function list(item: Validator, min = 0, max = Number.POSITIVE_INFINITY): Validator {
  const bounds = Number.isFinite(max) ? `expected an array of ${min} to ${max} items` : 'expected an array'
  return (value, out) => {
    if (!Array.isArray(value)) return void out.push({ pointer: '', expected: bounds })
    if (value.length < min || value.length > max) out.push({ pointer: '', expected: bounds })
    for (let i = 0; i < value.length && out.length < maxViolations; i += 1) validateAt(i, item, value[i], out)
  }
}

/** An object with these fields; others are let through. A field that is undefined is one that is left out. */
export function object(required: Fields, optional: Fields = {}): Validator {
  const fields = [...Object.entries(required), ...Object.entries(optional)]
  return (value, out) => {
    if (!isObject(value)) return void out.push({ pointer: '', expected: 'expected an object' })
    for (const [name, shape] of fields) {
      if (Object.hasOwn(value, name) && value[name] !== undefined) validateAt(name, shape, value[name], out)
      else if (Object.hasOwn(required, name)) out.push({ pointer: `/${name}`, expected: 'required' })
    }
  }
}

/** An object with these fields and no others: a misspelt name is an error, and the nearest name is named. */
export function closed(required: Fields, optional: Fields = {}): Validator {
  const open = object(required, optional)
  const names = [...Object.keys(required), ...Object.keys(optional)]
  return (value, out) => {
    open(value, out)
    if (!isObject(value)) return
    for (const name of Object.keys(value)) {
      if (!names.includes(name))
        out.push({ pointer: `/${name}`, expected: `no such field (did you mean ${nearest(name, names)}?)` })
    }
  }
}

/** An object whose fields, whatever their names, are of a shape. */
export const record =
  (item: Validator): Validator =>
  (value, out) => {
    if (!isObject(value)) return void out.push({ pointer: '', expected: 'expected an object' })
    for (const [name, each] of Object.entries(value)) validateAt(name, item, each, out)
  }

/** Adds what stands at more than one place, where each has to have its own. */
export function distinct(places: readonly (readonly [pointer: string, id: unknown])[], out: Violation[]): void {
  const firsts = new Map<unknown, string>()
  for (const [pointer, id] of places) {
    const first = id === undefined ? undefined : firsts.get(id)
    if (first === undefined) firsts.set(id, pointer)
    else out.push({ pointer, expected: `expected another value than ${first}` })
  }
}

/** The name that shares the most pairs of letters with a word, in any case. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const pairsOf = (text: string) =>
    Array.from(text.toLowerCase().slice(1), (letter, i) => text.toLowerCase()[i] + letter)
  const pairs = pairsOf(word)
  const likeness = (name: string) =>
    pairsOf(name).filter((pair) => pairs.includes(pair)).length / (name.length + word.length)
  return [...names].sort((one, other) => likeness(other) - likeness(one))[0]
}

/** Pointers are written when something is wrong, and cost nothing when nothing is. */
function validateAt(name: string | number, shape: Validator, value: unknown, out: Violation[]): void {
  const before = out.length
  shape(value, out)
  for (let i = before; i < out.length; i += 1) {
    const { pointer, expected } = out[i] as Violation
    out[i] = { pointer: `/${name}${pointer}`, expected }
  }
}

/** A value for which something holds; `expected` says what. */
export function expecting(expected: string, holds: (value: unknown) => boolean): Validator {
  return (value, out) => {
    if (!holds(value)) out.push({ pointer: '', expected })
  }
}

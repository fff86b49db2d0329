import { parseInstant } from './iso-date.js'
import { codePoints } from './text.js'

/** Something wrong in a body: a JSON pointer, and what was expected there. Never what came: that is the user's text. */
export interface Violation {
  pointer: string
  expected: string
}

/** Looks at a value and adds what is wrong with it to `out`, with pointers that begin at the value. */
export type Shape = (value: unknown, out: Violation[]) => void

/** How the bounds of a string are counted. */
export type Measure = (text: string) => number

/** The measures by the names of the reading `charactersAre`. */
export const measures: Record<'code points' | 'utf-16 units', Measure> = {
  'code points': codePoints,
  'utf-16 units': (text) => text.length,
}

/** So many violations are looked for; a body of millions of them would keep everybody waiting. */
const enough = 50

/** What is wrong with a value, in the order of its fields; no more is looked at once there is enough. */
export function check(value: unknown, shape: Shape): Violation[] {
  const out: Violation[] = []
  shape(value, out)
  return out
}

/** The violations as one message, such as `/name: expected 1 to 500 characters; /turns/0/role: required`; at most 50. */
export function describe(violations: readonly Violation[]): string {
  const shown = violations.slice(0, enough).map(({ pointer, expected }) => `${pointer || 'body'}: ${expected}`)
  if (violations.length >= enough) shown.push('and perhaps more')
  return shown.join('; ')
}

/** A JSON object: no array, no null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const string: Shape = expecting('expected a string', (value) => typeof value === 'string')
export const boolean: Shape = expecting('expected true or false', (value) => typeof value === 'boolean')
export const anything: Shape = () => {}
export const anyObject: Shape = expecting('expected an object', isObject)
export const isoDate: Shape = expecting(
  'expected an ISO 8601 date or date-time',
  (value) => typeof value === 'string' && parseInstant(value) !== undefined,
)

/** A string of `min` to `max` characters. */
export function text(min: number, max: number, measure: Measure): Shape {
  const expected = min > 0 ? `expected ${min} to ${max} characters` : `expected at most ${max} characters`
  return expecting(expected, (value) => {
    if (typeof value !== 'string' || value.length < min) return false
    return value.length <= max || measure(value) <= max
  })
}

/** One of some strings. */
export function oneOf(values: readonly string[]): Shape {
  return expecting(
    `expected one of ${values.join(', ')}`,
    (value) => typeof value === 'string' && values.includes(value),
  )
}

/** An array of `min` to `max` items of a shape. */
export function list(item: Shape, min = 0, max = Number.POSITIVE_INFINITY): Shape {
  const bounds = Number.isFinite(max) ? `expected an array of ${min} to ${max} items` : 'expected an array'
  return (value, out) => {
    if (!Array.isArray(value)) return void out.push({ pointer: '', expected: bounds })
    if (value.length < min || value.length > max) out.push({ pointer: '', expected: bounds })
    for (let i = 0; i < value.length && out.length < enough; i += 1) inside(i, item, value[i], out)
  }
}

/** An object with these fields; others are let through. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const fields = [...Object.entries(required), ...Object.entries(optional)]
  return (value, out) => {
    if (!isObject(value)) return void out.push({ pointer: '', expected: 'expected an object' })
    for (const [name, shape] of fields) {
      if (Object.hasOwn(value, name)) inside(name, shape, value[name], out)
      else if (Object.hasOwn(required, name)) out.push({ pointer: `/${name}`, expected: 'required' })
    }
  }
}

/** Pointers are written when something is wrong, and cost nothing when nothing is. */
function inside(name: string | number, shape: Shape, value: unknown, out: Violation[]): void {
  const before = out.length
  shape(value, out)
  for (let i = before; i < out.length; i += 1) {
    const { pointer, expected } = out[i] as Violation
    out[i] = { pointer: `/${name}${pointer}`, expected }
  }
}

function expecting(expected: string, holds: (value: unknown) => boolean): Shape {
  return (value, out) => {
    if (!holds(value)) out.push({ pointer: '', expected })
  }
}

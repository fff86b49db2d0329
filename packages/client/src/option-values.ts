import { InputError } from './errors/index.js'
import { tagOf } from './json.js'

/** A value of an option in a message. Never a text: it may be a key in the wrong option. */
export const shownOption = (value: unknown): string =>
  typeof value === 'string' ? 'a text' : Object(value) === value ? tagOf(value) : String(value)

/** The numbers that an option may have, and their name in a message. */
type Numbers = readonly [expected: string, isValid: (value: number) => boolean]

/** A number option. Throws an InputError for any other value, such as NaN or a text. */
export function numberOption<T extends number | undefined>(
  name: string,
  [expected, isValid]: Numbers,
  given: T,
  operation?: string,
): T {
  if (given === undefined || (typeof given === 'number' && isValid(given))) return given
  const where = operation ? `${operation}: ${name}` : name
  const message = `${where}: expected ${expected}, got ${shownOption(given)}.`
  throw new InputError('invalid_input', message, operation ?? 'options')
}

export const positive: Numbers = ['a number above 0', (value) => value > 0]
export const wholeFromOne: Numbers = ['a whole number from 1', (value) => Number.isInteger(value) && value >= 1]
export const numberFrom = (least: number): Numbers => [`a number from ${least}`, (value) => value >= least]

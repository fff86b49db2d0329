import { InputError } from './errors/index.js'
import { tagOf } from './json.js'

/** A value of an option in a message. Never a text: it may be a key in the wrong option. */
export const shownOption = (value: unknown): string =>
  typeof value === 'string' ? 'a text' : Object(value) === value ? tagOf(value) : String(value)

/** A number option. Throws an InputError for any other value, such as NaN or a text. */
export function numberOption<T extends number | undefined>(
  name: string,
  expected: string,
  given: T,
  isValid: (value: number) => boolean,
  operation = 'options',
): T {
  if (given === undefined || (typeof given === 'number' && isValid(given))) return given
  throw new InputError('invalid_input', `${name}: expected ${expected}, got ${shownOption(given)}.`, operation)
}

export const notNegative = (value: number): boolean => value >= 0
export const positive = (value: number): boolean => value > 0
export const wholeFromOne = (value: number): boolean => Number.isInteger(value) && value >= 1

import { InputError } from './errors/index.js'

/** A value of an option in a message. Never a text: it may be a key in the wrong option. */
export const shownOption = (value: unknown): string =>
  typeof value === 'string'
    ? 'a text'
    : Object(value) === value
      ? Object.prototype.toString.call(value).slice(8, -1)
      : String(value)

/** A number option. Throws an InputError for any other value, such as NaN or a text. */
export function numberOption<T extends number | undefined>(
  name: string,
  expected: string,
  given: T,
  isValid: (value: number) => boolean,
  operation = 'options',
): T {
  if (given === undefined || (typeof given === 'number' && isValid(given))) return given
  const message = `${operation === 'options' ? '' : `${operation}: `}${name}: expected ${expected}, got ${shownOption(given)}.`
  throw new InputError('invalid_input', message, operation)
}

export const notNegative = (value: number): boolean => value >= 0
export const positive = (value: number): boolean => value > 0
export const wholeFromOne = (value: number): boolean => Number.isInteger(value) && value >= 1

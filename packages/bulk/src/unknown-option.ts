import { InputError } from '@svc/client'
import { nearest } from '@svc/text'

/** The names of all options, so that none is missing here. */
export type OptionNames<Options> = Record<keyof Options, true>

/**
 * Refuse an option that a function does not have.
 *
 * @throws {InputError} with the nearest name
 */
export function refuseUnknownOption(caller: string, options: object, known: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const meant = nearest(unknown, Object.keys(known))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new InputError('invalid_input', `${caller}: unknown option ${unknown}${hint}`, caller)
}

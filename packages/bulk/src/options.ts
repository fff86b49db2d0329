import { InputError, type SvcClient } from '@svc/client'
import { nearest } from '@svc/text'

/** The names of all options, so that none is missing here. */
export type OptionNames<Options> = Record<keyof Options, true>

/** What every function that works on a ledger needs. */
interface LedgerOptions {
  client: SvcClient
  project: string
  ledger: string
}

/**
 * Check the options of a function that works on the ledger of a project. `mayLackLedger`: a ledger that is undefined is
 * another error.
 *
 * @throws {InputError} for an unknown option, and for a client, project or ledger that is missing or of another type
 */
export function checkOptions(
  caller: string,
  options: object,
  known: object,
  { mayLackLedger = false }: { mayLackLedger?: boolean } = {},
): void {
  refuseUnknownOption(caller, options, known)
  const { client, project, ledger } = options as Partial<LedgerOptions>
  if (!client?.transcripts) throw wrongOption(caller, 'client', 'a client of createClient')
  if (typeof project !== 'string' || project === '') throw wrongOption(caller, 'project', 'the id of a project')
  if (mayLackLedger && ledger === undefined) return
  if (typeof ledger !== 'string' || ledger === '') throw wrongOption(caller, 'ledger', 'the path of a folder')
}

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

/** The error of an option of another type. */
export const wrongOption = (caller: string, option: string, expected: string): InputError =>
  new InputError('invalid_input', `${caller}: expected ${option} to be ${expected}.`, caller)

import { nearest } from '@svc/text'
import { CliError, exit } from '../../exit.js'

/** @throws {CliError} if no setting has this name */
export function requireName<Name extends string>(name: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === name)
  if (found !== undefined) return found
  const meant = nearest(name, known)
  throw new CliError(exit.usage, `Unknown setting "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `use one of ${known.join(', ')}`,
  })
}

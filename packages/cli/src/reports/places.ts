import { CliError, exit } from '../exit.js'
import type { Io } from '../io.js'
import { goesToFile, type Target, textOfTarget } from './targets.js'

/** A file that a command reads or writes for itself, as its user names it. */
export interface Place {
  /** As in `--report md=a.md`. */
  what: string
  path: string
}

/** The files of reports. */
export const placesOf = (targets: readonly Target[]): Place[] =>
  targets.filter(goesToFile).map((target) => ({ what: textOfTarget(target), path: target.file }))

/** Refuses two of them in one file, however it is named. */
export function refuseSharedPlaces({ resolve }: Pick<Io, 'resolve'>, places: readonly Place[]): void {
  const known = new Map<string, Place>()
  for (const place of places) {
    const path = resolve(place.path)
    const other = known.get(path)
    if (other) {
      throw new CliError(exit.usage, `${other.what} and ${place.what} are the same file.`, {
        hint: 'give each a file of its own',
      })
    }
    known.set(path, place)
  }
}

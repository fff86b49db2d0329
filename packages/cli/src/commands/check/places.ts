import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io.js'
import type { Delivery } from '../../reports/deliver.js'
import type { Source } from '../../sources.js'

/** A file of a check that holds no transcripts, as its user names it. */
export interface Place {
  /** As in `--report md=a.md`. */
  what: string
  path: string
}

/** The files that a check reads and writes for itself. */
export function placesOf(
  files: { policy: string | undefined; baseline: string | undefined; cache: string | undefined },
  { report = [] }: Delivery,
): Place[] {
  const { policy, baseline, cache } = files
  return [
    ...(policy === undefined ? [] : [{ what: 'the policy', path: policy }]),
    ...(baseline === undefined ? [] : [{ what: 'the baseline', path: baseline }]),
    ...(cache === undefined ? [] : [{ what: 'the cache', path: cache }]),
    ...report.flatMap((target) =>
      'file' in target && target.file !== undefined
        ? [{ what: `--report ${target.id}=${target.file}`, path: target.file }]
        : [],
    ),
  ]
}

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

/** Without those that a check came upon in a folder, unless there are no others. */
export function withoutPlaces(
  { resolve }: Pick<Io, 'resolve'>,
  sources: readonly Source[],
  places: readonly Place[],
): readonly Source[] {
  const own = new Set(places.map(({ path }) => resolve(path)))
  const others = sources.filter(({ path, isFound }) => !isFound || !own.has(resolve(path)))
  return others.length > 0 ? others : sources
}

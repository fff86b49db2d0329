import type { Io } from '../../io.js'
import type { Place } from '../../reports/places.js'
import type { Source } from '../../sources.js'

/** The files that a check reads and writes for itself, beside its reports. */
export const ownPlaces = (paths: Record<'policy' | 'baseline' | 'cache', string | undefined>): Place[] =>
  (['policy', 'baseline', 'cache'] as const).flatMap((name) => {
    const path = paths[name]
    return path === undefined ? [] : [{ what: `the ${name}`, path }]
  })

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

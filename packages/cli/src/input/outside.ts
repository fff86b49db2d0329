import type { InputFiles } from './files.js'
import { isInside } from './find.js'
import { isPattern } from './patterns.js'

type Places = Pick<InputFiles, 'isThere' | 'writeTarget'>

/** The paths and patterns that lead out of all of these folders, also through links. */
export async function pathsOutside(
  io: Places,
  folders: readonly string[],
  paths: readonly string[],
): Promise<string[]> {
  const roots = await Promise.all(folders.map((folder) => placeOf(io, folder)))
  const places = await Promise.all(paths.map((path) => placeOf(io, path)))
  const isWithin = (place: string | undefined) =>
    place !== undefined && roots.some((root) => root !== undefined && isInside(root, place))
  return paths.filter((_, at) => !isWithin(places[at]))
}

/** The target of a path, or the folder that a pattern searches; undefined where it cannot be resolved. */
async function placeOf(io: Places, path: string): Promise<string | undefined> {
  const steps = path.split('/')
  const pattern = io.isThere(path) ? -1 : steps.findIndex(isPattern)
  if (pattern >= 0 && steps.slice(pattern).some((step) => step.includes('..'))) return undefined
  const folder = pattern < 0 ? path : steps.slice(0, pattern).join('/') || '.'
  return io.writeTarget(folder).then(
    ({ place }) => place,
    () => undefined,
  )
}

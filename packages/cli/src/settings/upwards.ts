import { dirname, join } from 'node:path'
import type { Io } from '../io.js'

/** The nearest file of a name from the working directory upwards, to the root of the repository or of the file system. */
export function nearestUpwards(io: Pick<Io, 'resolve' | 'isThere'>, name: string): string | undefined {
  for (let folder = io.resolve('.'); ; folder = dirname(folder)) {
    const path = join(folder, name)
    if (io.isThere(path)) return path
    if (folder === dirname(folder) || io.isThere(join(folder, '.git'))) return undefined
  }
}

import { dirname, isAbsolute, join } from 'node:path'
import type { Io } from '../io/index.js'

type Variables = Record<string, string | undefined>

/** The user's settings: `SVC_CONFIG`, else by XDG; undefined without a home folder. */
export const userFileOf = (env: Variables): string | undefined =>
  env.SVC_CONFIG || below(env, 'XDG_CONFIG_HOME', ['.config'], 'config.json')

/** `SVC_STATE_DIR`, else by XDG; undefined without a home folder. */
export const stateFolderOf = (env: Variables): string | undefined =>
  env.SVC_STATE_DIR || below(env, 'XDG_STATE_HOME', ['.local', 'state'])

/** `SVC_CACHE_DIR`, else by XDG; undefined without a home folder. */
export const cacheFolderOf = (env: Variables): string | undefined =>
  env.SVC_CACHE_DIR || below(env, 'XDG_CACHE_HOME', ['.cache'])

/** Relative values are ignored, as the XDG specification requires. */
function below(env: Variables, variable: string, ofHome: string[], ...rest: string[]): string | undefined {
  const own = env[variable]
  const home = env.HOME || env.USERPROFILE
  const root = own && isAbsolute(own) ? own : home && isAbsolute(home) ? join(home, ...ofHome) : undefined
  return root === undefined ? undefined : join(root, 'svc', ...rest)
}

/** The nearest file with a name, from the working directory up to the root of the repository or file system. */
export const nearestUpwards = (io: Pick<Io, 'resolve' | 'isThere'>, name: string): string | undefined =>
  nearestOf(io, [name])[0]

/** The files with these names in the nearest folder that has any of them. */
export function nearestOf(io: Pick<Io, 'resolve' | 'isThere'>, names: readonly string[]): string[] {
  for (let folder = io.resolve('.'); ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).filter((path) => io.isThere(path))
    if (found.length > 0 || folder === dirname(folder) || io.isThere(join(folder, '.git'))) return found
  }
}

import { dirname, isAbsolute, join } from 'node:path'
import type { Io } from '../io/index.js'

type Variables = Record<string, string | undefined>

/** The user's file of settings: `SVC_CONFIG`, else by XDG; undefined where there is no home. */
export const userFileOf = (env: Variables): string | undefined =>
  env.SVC_CONFIG || below(env, 'XDG_CONFIG_HOME', ['.config'], 'config.json')

/** Where `svc` keeps what it must remember: `SVC_STATE_DIR`, else by XDG; undefined where there is no home. */
export const stateFolderOf = (env: Variables): string | undefined =>
  env.SVC_STATE_DIR || below(env, 'XDG_STATE_HOME', ['.local', 'state'])

/** Where `svc` keeps what it can do without: `SVC_CACHE_DIR`, else by XDG; undefined where there is no home. */
export const cacheFolderOf = (env: Variables): string | undefined =>
  env.SVC_CACHE_DIR || below(env, 'XDG_CACHE_HOME', ['.cache'])

/** The XDG specification has relative values ignored. */
function below(env: Variables, variable: string, ofHome: string[], ...rest: string[]): string | undefined {
  const own = env[variable]
  const home = env.HOME || env.USERPROFILE
  const root = own && isAbsolute(own) ? own : home && isAbsolute(home) ? join(home, ...ofHome) : undefined
  return root === undefined ? undefined : join(root, 'svc', ...rest)
}

/** The nearest file of a name from the working directory upwards, to the root of the repository or of the file system. */
export function nearestUpwards(io: Pick<Io, 'resolve' | 'isThere'>, name: string): string | undefined {
  for (let folder = io.resolve('.'); ; folder = dirname(folder)) {
    const path = join(folder, name)
    if (io.isThere(path)) return path
    if (folder === dirname(folder) || io.isThere(join(folder, '.git'))) return undefined
  }
}

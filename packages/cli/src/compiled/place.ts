import { isAbsolute, join } from 'node:path'
import { cacheFolderOf } from '../settings/folders.js'

type Variables = Record<string, string | undefined>

/**
 * The file in which the compiled code of a command is kept, for a build of ours and a V8 with its flags
 * (`v8.cachedDataVersionTag()`); undefined where none is. It is code that will be run: a folder below that which a command
 * is run in may be anybody's work, and one that is carried from one CI run to the next may be, too.
 */
export function compiledFileOf(
  env: Variables,
  argv: readonly string[],
  build: string,
  v8Tag: () => number,
): string | undefined {
  const folder = cacheFolderOf(env)
  const command = argv.find((word) => /^[a-z]{1,20}$/.test(word))
  const isUnwanted = Boolean(env.CI || env.NODE_DISABLE_COMPILE_CACHE)
  if (build === '' || isUnwanted || command === undefined || folder === undefined || !isAbsolute(folder))
    return undefined
  return join(folder, 'compiled', `${command}-${build}-${shown(v8Tag())}`)
}

/** Whether a file is for a V8 with these flags. */
export const isFor = (file: string, v8Tag: number): boolean => file.endsWith(`-${shown(v8Tag)}`)

const shown = (v8Tag: number) => v8Tag.toString(36)

import { dirname, relative, resolve, sep } from 'node:path'
import type { ReadFlags, ReadingRule } from '../input/index.js'
import type { Io } from '../io/index.js'
import type { Settings } from './resolve.js'

/** Flags of a command that reads input, completed by the project file. Its patterns and paths are relative to its folder. */
export function withReadingSettings<Flags extends ReadFlags>(
  { resolve: resolveHere }: Pick<Io, 'resolve'>,
  flags: Flags,
  { projectFile }: Pick<Settings, 'projectFile'>,
): Flags {
  if (!projectFile) return flags
  const folder = dirname(projectFile.path)
  const fromHere = (path: string) => relative(resolveHere('.'), resolve(folder, path)).split(sep).join('/') || '.'
  // A pattern without a slash matches names in every folder.
  const patternFromHere = (pattern: string) => (/[^/]\/[^/]/.test(pattern) ? fromHere(pattern) : pattern)
  const { reading = [], exclude = [] } = projectFile.settings
  const rules = reading.map(
    ({ files, map, importer }): ReadingRule => ({
      files: files.map(patternFromHere),
      map,
      importer: importer?.map(fromHere),
    }),
  )
  const excluded = exclude.map(patternFromHere)
  if (projectFile.trust !== 'trusted')
    return { ...flags, untrustedReading: { path: projectFile.path, rules, exclude: excluded } }
  return { ...flags, reading: rules, excludeInSettings: excluded }
}

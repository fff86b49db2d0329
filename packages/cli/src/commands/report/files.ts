import { CliError, exit } from '../../exit.js'
import { filesAt, refuseStdinTwice, type WritePlace } from '../../input/index.js'
import type { Io } from '../../io/index.js'

/**
 * The reports behind paths: a file as it is, the `.json` files of a directory and of the folders in it, a pattern's
 * matches, standard input for `-`; each once, but for those that are about to be written.
 */
export async function reportFiles(
  io: Io,
  paths: readonly string[],
  written: readonly string[],
): Promise<[string, ...string[]]> {
  refuseStdinTwice(paths)
  const outputs = new Set(written.map((path) => io.resolve(path)))
  const files = new Map<string, string>()
  for (const path of paths) {
    if (path === '-') files.set(path, path)
    else
      for (const file of await reportsAt(io, path, (each) => !outputs.has(io.resolve(each)))) {
        const at = io.resolve(file)
        if (!files.has(at)) files.set(at, file)
      }
  }
  const [first, ...others] = files.values()
  if (first === undefined) throw new CliError(exit.usage, 'Missing report files.')
  return [first, ...others]
}

async function reportsAt(io: Io, path: string, isInput: (path: string) => boolean): Promise<string[]> {
  const { kind, files: all } = await filesAt(io, path, /\.json$/i)
  const files = kind === 'file' ? all : all.filter(isInput)
  if (files.length > 0) return files
  throw kind === 'pattern'
    ? new CliError(exit.usage, `No file matches ${path}.`, { hint: 'a pattern looks like reports/*.json' })
    : new CliError(exit.usage, `The directory ${path} contains no reports.`, {
        hint: 'reports are files that end in .json; `svc check --report json=FILE` writes one',
      })
}

/** The reports that are named, which must not be written over. */
export const readPlaces = (paths: readonly string[]): WritePlace[] =>
  paths.filter((path) => path !== '-').map((path) => ({ what: path, path, isRead: true }))

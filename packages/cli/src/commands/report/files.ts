import { filesMatching, isFile, isPattern, refuseStdinTwice, trimmed, type WritePlace } from '@svc/input'
import { CliError, exit } from '../../exit.js'
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
    else for (const file of await filesAt(io, path, (each) => !outputs.has(io.resolve(each)))) add(io, files, file)
  }
  const [first, ...others] = files.values()
  if (first === undefined) throw new CliError(exit.usage, 'Missing report files.')
  return [first, ...others]
}

function add(io: Io, files: Map<string, string>, file: string): void {
  const at = io.resolve(file)
  if (!files.has(at)) files.set(at, file)
}

async function filesAt(io: Io, path: string, isInput: (path: string) => boolean): Promise<string[]> {
  const kind = await io.kindOf(path).catch(() => (isPattern(path) ? ('pattern' as const) : ('file' as const)))
  if (kind === 'file') return [path]
  const all = kind === 'pattern' ? await filesMatching(io, path) : await filesIn(io, trimmed(path))
  const files = all.filter(isInput)
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

async function filesIn(io: Io, directory: string): Promise<string[]> {
  const entries = await io.readDirectory(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(exit.input, `${directory}: cannot be read (${cause.code}).`, { cause })
  })
  const files: string[] = []
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name.startsWith('.')) continue
    const path = `${directory}/${name}`
    if (kind === 'directory') files.push(...(await filesIn(io, path)))
    else if (/\.json$/i.test(name) && (await isFile(io, path, kind))) files.push(path)
  }
  return files
}

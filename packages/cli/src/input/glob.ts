import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import type { Pattern, Progress } from './patterns.js'

/** A pattern of files: the folder that it names, and the pattern of paths below it. */
interface Glob {
  /** Empty where it is the working directory. */
  folder: string
  pattern: Pattern
}

/**
 * Read a pattern of files, such as `talks/**\/*.json`.
 *
 * @throws {CliError} if it is no pattern
 */
export async function globOf(text: string): Promise<Glob> {
  const { compilePattern, patternProblem } = await import('./patterns.js')
  const steps = text.replaceAll(/\/+/g, '/').split('/')
  const first = steps.findIndex(isPattern)
  const [folder, below] = [steps.slice(0, first), steps.slice(first).join('/')]
  const problem = patternProblem(below)
  if (problem) throw new CliError(exit.usage, `${text} is no pattern of files: ${problem}.`)
  return {
    folder: folder.length === 1 && folder[0] === '' ? '/' : folder.join('/'),
    pattern: compilePattern(below, { dot: false }),
  }
}

/** The path of a name in a folder. */
export const pathIn = (folder: string, name: string): string =>
  folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`

/** Tell whether an entry of a folder is a file, or a link to one. */
export const isFile = async (io: Io, path: string, kind: string): Promise<boolean> =>
  kind === 'link' ? (await io.kindOf(path).catch(() => undefined)) === 'file' : kind === 'file'

/** The files that a pattern names, sorted. Links to files are followed, and links to folders are not. */
export async function filesMatching(io: Io, text: string): Promise<string[]> {
  const { folder, pattern } = await globOf(text)
  const files: string[] = []
  const walk = async (at: string, progress: Progress): Promise<void> => {
    const entries = await io.readDirectory(at || '.').catch(() => [])
    for (const { name, kind } of entries) {
      const next = pattern.next(progress, name)
      const path = pathIn(at, name)
      if (next.isMatch && (await isFile(io, path, kind))) files.push(path)
      else if (kind === 'directory' && next.isOpen) await walk(path, next)
    }
  }
  await walk(folder, pattern.start)
  return files.sort()
}

/** Refuses standard input where it is named twice: it can be read once. */
export function refuseStdinTwice(paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length > 1)
    throw new CliError(exit.usage, 'Standard input is named twice.', { hint: 'give - once' })
}

/** Whether a path that nothing stands at is a pattern. */
export const isPattern = (path: string): boolean => /[*?[\]{}]/.test(path)

/** A folder without separators behind its name. */
export const trimmed = (path: string): string => path.replace(/(?<=[^/\\])[/\\]+$/, '')

import type { Pattern, Progress } from '@svc/text/patterns'
import type { InputFiles } from './files.js'
import { InputProblem } from './input-problem.js'

interface Glob {
  /** Empty for the working directory. */
  folder: string
  pattern: Pattern
}

/**
 * The paths and patterns that the braces of a pattern stand for.
 *
 * @throws {InputProblem} for an invalid pattern
 */
export async function alternativesIn(text: string): Promise<string[]> {
  const { alternativesOf } = await import('@svc/text/patterns')
  const all = alternativesOf(text)
  if (all) return all
  throw new InputProblem('invalid_pattern', `${text}: invalid pattern: too many alternatives.`)
}

/** The fixed folder of a pattern of files, and the pattern below it. */
export async function globOf(text: string): Promise<Glob> {
  const { compilePattern, patternProblem } = await import('@svc/text/patterns')
  const steps = text.replaceAll(/\/+/g, '/').split('/')
  const first = steps.findIndex(isPattern)
  const [folder, below] = [steps.slice(0, first), steps.slice(first).join('/')]
  const problem = patternProblem(below)
  if (problem) throw new InputProblem('invalid_pattern', `${text}: invalid pattern: ${problem}.`)
  return {
    folder: folder.length === 1 && folder[0] === '' ? '/' : folder.join('/'),
    pattern: compilePattern(below, { dot: false }),
  }
}

export const pathIn = (folder: string, name: string): string =>
  folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`

/**
 * The files behind a path, sorted: itself, the matches of a pattern, or the files of a folder whose names match `fileName`,
 * without hidden ones. Links to files are followed, links to folders are not.
 *
 * @throws {InputProblem} for a folder that cannot be read, or an invalid pattern
 */
export async function filesAt(
  io: Folders,
  path: string,
  fileName: RegExp,
): Promise<{ kind: 'file' | 'directory' | 'pattern'; files: string[] }> {
  const kind = await io.kindOf(path).catch(() => (isPattern(path) ? 'pattern' : 'file'))
  if (kind === 'file' || kind === 'other') return { kind: 'file', files: [path] }
  return {
    kind,
    files: kind === 'pattern' ? await filesMatching(io, path) : await filesIn(io, trimmed(path), fileName),
  }
}

type Folders = Pick<InputFiles, 'kindOf' | 'readDirectory'>

async function filesIn(io: Folders, folder: string, fileName: RegExp): Promise<string[]> {
  const entries = await io.readDirectory(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new InputProblem('unreadable', `${folder}: cannot be read (${cause.code}).`, { cause })
  })
  const files: string[] = []
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name.startsWith('.')) continue
    const path = `${folder}/${name}`
    if (kind === 'directory') files.push(...(await filesIn(io, path, fileName)))
    else if (fileName.test(name) && (await isFile(io, path, kind))) files.push(path)
  }
  return files
}

async function filesMatching(io: Folders, text: string): Promise<string[]> {
  const all = await Promise.all((await alternativesIn(text)).map((each) => filesMatchingOne(io, each)))
  return [...new Set(all.flat())].sort()
}

async function filesMatchingOne(io: Folders, text: string): Promise<string[]> {
  // A path in braces that does not exist fails when it is read.
  if (!isPattern(text)) return [text]
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
  return files
}

const isFile = async (io: Folders, path: string, kind: string): Promise<boolean> =>
  kind === 'link' ? (await io.kindOf(path).catch(() => undefined)) === 'file' : kind === 'file'

export function refuseStdinTwice(paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length > 1)
    throw new InputProblem('stdin_twice', 'Standard input is named twice.', { hint: 'use - once' })
}

export const isPattern = (path: string): boolean => /[*?[\]{}]|[@!+]\(/.test(path)

export const trimmed = (path: string): string => path.replace(/(?<=[^/\\])[/\\]+$/, '')

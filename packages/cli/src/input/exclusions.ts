import { basename, dirname, join, relative, sep } from 'node:path'
import type { InputFiles } from './files.js'
import { InputProblem } from './input-problem.js'
import { addSkipped, type Skipped } from './skipped.js'

/**
 * `isExcluded` checks if a path is excluded, and `unmatched` are the patterns that have matched none so far, without those of the
 * settings. A folder is excluded with its content.
 */
export async function exclusionsOf(
  io: Pick<InputFiles, 'resolve'>,
  patterns: readonly string[],
  inSettings: readonly string[] = [],
): Promise<{ isExcluded(path: string): boolean; unmatched(): string[] }> {
  const matching = await matchingOf(io, [...patterns, ...inSettings], '--exclude')
  const matched = new Set<string>()
  return {
    isExcluded(path) {
      const matches = matching(path)
      for (const text of matches) matched.add(text)
      return matches.length > 0
    },
    unmatched: () => [...new Set(patterns)].filter((each) => !matched.has(each)),
  }
}

/**
 * The patterns that match a path. A pattern without a slash matches the name of a file or folder anywhere; any other matches the path
 * from the working directory, and what is below it. `name`: of the flag or setting that has them.
 *
 * @throws {InputProblem} for an invalid pattern
 */
export async function matchingOf(
  io: Pick<InputFiles, 'resolve'>,
  patterns: readonly string[],
  name: string,
): Promise<(path: string) => readonly string[]> {
  if (patterns.length === 0) return () => []
  const { matcherOf, patternProblem } = await import('@svc/text/patterns')
  const all = patterns.map((text) => {
    const pattern = text.replace(/^(?:\.\/+)+(?=.)/, '').replace(/(?<=[^/])\/+$/, '')
    const problem = patternProblem(pattern)
    if (problem) throw new InputProblem('invalid_pattern', `${name} ${pattern}: invalid pattern: ${problem}.`)
    const isName = !pattern.includes('/')
    return { text, isName, matches: matcherOf(isName ? [pattern] : [pattern, `${pattern}/**`]) }
  })
  const hasPlaces = all.some(({ isName }) => !isName)
  const here = io.resolve('.')
  const slashed = (path: string) => path.split(sep).join('/')
  return (path) => {
    const absolute = io.resolve(path)
    const name = basename(absolute)
    const places = hasPlaces ? [slashed(relative(here, absolute)), slashed(absolute)] : []
    return all.filter(({ isName, matches }) => (isName ? matches(name) : places.some(matches))).map(({ text }) => text)
  }
}

export function noteUnmatched(skipped: Skipped, patterns: readonly string[]): void {
  for (const pattern of patterns) addSkipped(skipped, 'unmatched exclusion', pattern)
}

/**
 * A function that checks if a file is one of a list, by its path or its real path, or is in a folder of the list. A folder or
 * link that cannot be read (`hasGap`) is, if the list has a path below it.
 */
export async function listOf(
  io: Pick<InputFiles, 'resolve' | 'realPath'>,
  listed: readonly string[] | undefined,
): Promise<(path: string, real: string, hasGap: boolean) => boolean> {
  if (!listed) return () => true
  const named = new Set<string>()
  const above = new Set<string>()
  const realFolders = new Map<string, string>()
  for (const each of listed) {
    const path = io.resolve(each)
    const folder = dirname(path)
    const real = realFolders.get(folder) ?? (await io.realPath(folder).catch(() => folder))
    realFolders.set(folder, real)
    named.add(path).add(join(real, basename(path)))
    for (const from of [folder, real]) for (let at = from; !above.has(at); at = dirname(at)) above.add(at)
  }
  const isIn = (path: string): boolean => named.has(path) || (path !== dirname(path) && isIn(dirname(path)))
  return (path, real, hasGap) => [io.resolve(path), real].some((at) => isIn(at) || (hasGap && above.has(at)))
}

import { type PlatformPath, posix, sep, win32 } from 'node:path'
import type { Policy, Rules } from '@svc/report-viewer'
import { CliError, exit } from '../../exit.js'
import { matcherOf } from '../../input/index.js'
import { isArchive, isStdin } from '../../packed-names.js'
import { contradictionsIn } from './policy.js'

/** Where the patterns of a policy start from, and how a path as it was named becomes an absolute one. */
export interface Ground {
  /** Absolute. */
  folder: string
  resolve(path: string): string
}

/**
 * What each file is held to, by its path as it was named. Overrides hold for files in the folder of the policy and below
 * it, and for members of archives there: by their own path, as in `export.zip/talks.json`, or by that of the archive.
 * Other files, and standard input, are held to the policy itself. A later override goes before an earlier one.
 *
 * The same rules are the same object, however many files are held to them.
 *
 * @throws {CliError} from the returned function, where overrides that hold for a file together cannot be kept
 */
export function rulesFor(policy: Policy, ground: Ground): (path: string) => Rules {
  const { failOn, forbidden, allowed, required, indeterminate, overrides } = policy
  const base: Rules = { failOn, forbidden, allowed, required, indeterminate }
  if (overrides.length === 0) return () => base
  const compiled = overrides.map(({ files, ...rules }) => ({ files, rules, matches: matcherOf(files) }))
  const known = new Map<string, Rules>([['', base]])
  return (path) => {
    const names = isStdin(path) ? [] : namesBelow(ground.folder, ground.resolve(path))
    const inForce = compiled.filter(({ matches }) => names.some((name) => matches(name)))
    const key = inForce.map((each) => compiled.indexOf(each)).join()
    const found = known.get(key)
    if (found) return found
    const rules: Rules = Object.assign({}, base, ...inForce.map((each) => each.rules))
    refuseContradictions(
      path,
      rules,
      inForce.map(({ files }) => files.join(', ')),
    )
    known.set(key, rules)
    return rules
  }
}

/** The patterns of overrides that match none of these paths, each once. */
export function unmatchedPatterns(
  { overrides }: Policy,
  { folder, resolve }: Ground,
  paths: readonly string[],
): string[] {
  const files = [...new Set(paths)].filter((path) => !isStdin(path))
  const names = files.flatMap((path) => namesBelow(folder, resolve(path)))
  const patterns = new Set(overrides.flatMap((override) => override.files))
  return [...patterns].filter((pattern) => !names.some(matcherOf([pattern])))
}

/**
 * The names under which patterns may know a file, from a folder, with forward slashes: its own, and those of the archives
 * that it may be in. None for a file that is not below the folder.
 */
export function namesBelow(folder: string, path: string, system: PlatformPath = sep === '/' ? posix : win32): string[] {
  const below = system.relative(folder, path)
  if (system.isAbsolute(below)) return []
  const steps = below.split(system.sep)
  if (steps[0] === '..') return []
  const archives = steps.slice(0, -1).flatMap((step, at) => (isArchive(step) ? [steps.slice(0, at + 1)] : []))
  return [steps, ...archives].map((each) => each.join('/'))
}

function refuseContradictions(path: string, rules: Rules, patterns: readonly string[]): void {
  const details = contradictionsIn(rules).map(
    ({ signal, by }) => `the signal ${signal} is required and ${by === 'forbidden' ? 'forbidden' : 'not allowed'}`,
  )
  if (details.length === 0) return
  throw new CliError(exit.input, `${path}: the overrides of the policy contradict each other here.`, {
    details,
    hint: `change the overrides for ${patterns.join(' and for ')}`,
  })
}

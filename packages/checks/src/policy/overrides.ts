import { type PlatformPath, posix, relative, sep, win32 } from 'node:path'
import { matcherOf } from '@svc/text/patterns'
import { CheckError } from '../check-error.js'
import { isArchive, isStdin } from '../files.js'
import type { Policy, Rules } from './in-force.js'
import { contradictionsIn } from './policy.js'

export interface PatternBase {
  folder: string
  resolve(path: string): string
}

/** The folders of a path, from the folder of the policy. */
export const foldersIn =
  ({ folder, resolve }: PatternBase) =>
  (path: string): string[] =>
    relative(folder, resolve(path)).split(sep).slice(0, -1)

/**
 * The rules for each file. Overrides apply to files below the folder of the policy and to members of archives there, by
 * their own path, as in `export.zip/conversations.json`, or by that of the archive. A later override takes precedence. Equal
 * rules are the same object.
 *
 * @throws {CheckError} from the returned function, if the overrides for a file contradict each other
 */
export function rulesFor(policy: Policy, patternBase: PatternBase): (path: string) => Rules {
  const { failOn, forbidden, allowed, required, indeterminate, overrides } = policy
  const base: Rules = { failOn, forbidden, allowed, required, indeterminate }
  if (overrides.length === 0) return () => base
  const compiled = overrides.map(({ files, ...rules }) => ({ files, rules, matches: matcherOf(files) }))
  const rulesByKey = new Map<string, Rules>([['', base]])
  return (path) => {
    const names = isStdin(path) ? [] : namesBelow(patternBase.folder, patternBase.resolve(path))
    const inForce = compiled.filter(({ matches }) => names.some((name) => matches(name)))
    const key = inForce.map((each) => compiled.indexOf(each)).join()
    const cached = rulesByKey.get(key)
    if (cached) return cached
    const rules: Rules = Object.assign({}, base, ...inForce.map((each) => each.rules))
    refuseContradictions(
      path,
      rules,
      inForce.map(({ files }) => files.join(', ')),
    )
    rulesByKey.set(key, rules)
    return rules
  }
}

export function unmatchedPatterns(
  { overrides }: Policy,
  { folder, resolve }: PatternBase,
  paths: readonly string[],
): string[] {
  const files = [...new Set(paths)].filter((path) => !isStdin(path))
  const names = files.flatMap((path) => namesBelow(folder, resolve(path)))
  const patterns = new Set(overrides.flatMap((override) => override.files))
  return [...patterns].filter((pattern) => !names.some(matcherOf([pattern])))
}

/**
 * The names of a file that patterns can match: its path below the folder, and those of the archives around it. Empty
 * for a file outside of the folder.
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
  throw new CheckError('invalid_policy', `${path}: the overrides of the policy contradict each other here.`, {
    details,
    hint: `change the overrides for ${patterns.join(' and for ')}`,
  })
}

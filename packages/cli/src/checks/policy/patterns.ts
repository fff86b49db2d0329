import picomatch from 'picomatch'
import { CliError, exit } from '../../exit.js'

const options = { dot: true, strictBrackets: true, windows: false, nonegate: true }

/** More of them in one name could try each split of it, which takes minutes for a name of 250 characters. */
const mostWildcards = 3
/** Bytes that a file system allows in a name; members of archives may have longer ones. */
const longestName = 255

/**
 * Whether one of the patterns matches a path with forward slashes. Folders are compared one by one, so that the time grows
 * with the path and never with the ways to split it. Patterns must have no `patternProblem`.
 *
 * @throws {CliError} from the returned function, where a name of the path has over 255 characters
 */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false
  const compiled = patterns.map((pattern) =>
    stepsOf(pattern).map((step): Step => {
      if (step === '**') return step
      return step === '' ? (name) => name === '' : picomatch(step, options)
    }),
  )
  return (path) => {
    const names = path.split('/')
    if (names.some(({ length }) => length > longestName)) {
      throw new CliError(exit.input, `${path.slice(0, 80)}…: a name of over ${longestName} characters.`, {
        hint: 'patterns are not applied to it: give the file a shorter name',
      })
    }
    return compiled.some((steps) => isMatch(steps, names))
  }
}

/** What is wrong with a pattern; undefined where nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (/^!(?!\()/.test(pattern)) return 'a "!" at its beginning'
  if (/\{[^{}]*\//.test(pattern)) return 'a "/" in braces: give two patterns'
  try {
    for (const step of stepsOf(pattern)) {
      if (step === '**' || step === '') continue
      picomatch(step, { ...options, debug: true })
      const most = `more than ${mostWildcards} in one name`
      if (countOf(step, /\*+|!\(/g) > mostWildcards) return `${most} of "*"`
      if (countOf(step, /[{(]/g) > mostWildcards) return `${most} of "{" and "("`
      if (/[+*]\(/.test(step)) return 'a repeated group'
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const stepsOf = (pattern: string): string[] => pattern.replace(/^\.\//, '').split('/')

const countOf = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0

type Step = '**' | ((name: string) => boolean)

/** Whether steps match all names, `**` any number of them. */
function isMatch(steps: readonly Step[], names: readonly string[]): boolean {
  /** For each number of names, whether the steps so far match them. */
  let reached = [true, ...names.map(() => false)]
  for (const step of steps) {
    const before = reached
    reached =
      step === '**'
        ? before.map((_, n) => before.indexOf(true) >= 0 && before.indexOf(true) <= n)
        : before.map((_, n) => n > 0 && before[n - 1] === true && step(names[n - 1] ?? ''))
  }
  return reached.at(-1) === true
}

import picomatch from 'picomatch'
import { CliError, exit } from '../exit.js'

const options = { strictBrackets: true, windows: false, nonegate: true }

/** More of them in one name could try each split of it, which takes minutes for a name of 250 characters. */
const mostWildcards = 3
/** Bytes that a file system allows in a name; members of archives may have longer ones. */
const longestName = 255

/**
 * Tell whether one of the patterns matches a path with forward slashes. Patterns must have no `patternProblem`.
 *
 * @throws {CliError} from the returned function, where a name of the path has over 255 characters
 */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const compiled = patterns.map((pattern) => compilePattern(pattern, { dot: true }))
  return (path) => {
    const names = path.split('/')
    return compiled.some(({ start, next }) => names.reduce(next, start).isMatch)
  }
}

/** The state of a pattern after part of a path. */
export interface Progress {
  /** The path so far matches. */
  isMatch: boolean
  /** A path below it may match. */
  isOpen: boolean
  /** The steps of the pattern that may come next. */
  at: readonly number[]
}

/** A pattern that is followed along a path, name by name, so that the time grows with the path alone. */
export interface Pattern {
  start: Progress
  next(progress: Progress, name: string): Progress
}

/** Reads a pattern; without `dot`, names that begin with a dot match only where the pattern has the dot. */
export function compilePattern(pattern: string, { dot }: { dot: boolean }): Pattern {
  const steps = stepsOf(pattern).map((step) => {
    if (step === '**') return step
    return step === '' ? (name: string) => name === '' : picomatch(step, { ...options, dot })
  })
  const progress = (from: readonly number[]): Progress => {
    const at = new Set(from)
    // Any number of names may be none.
    for (const step of at) if (steps[step] === '**') at.add(step + 1)
    return { isMatch: at.has(steps.length), isOpen: [...at].some((step) => step < steps.length), at: [...at] }
  }
  return {
    start: progress([0]),
    next({ at }, name) {
      if (name.length > longestName) throw tooLong(name)
      const isPlain = dot || !name.startsWith('.')
      return progress(
        at.flatMap((index) => {
          const step = steps[index]
          if (step === undefined) return []
          if (step === '**') return isPlain ? index : []
          return step(name) ? index + 1 : []
        }),
      )
    },
  }
}

const tooLong = (name: string): CliError =>
  new CliError(exit.input, `${name.slice(0, 80)}…: a name of over ${longestName} characters.`, {
    hint: 'patterns are not applied to it: give the file a shorter name',
  })

/** The problem of a pattern in words; undefined if there is none. */
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

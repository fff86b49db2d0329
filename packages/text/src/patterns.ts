import picomatch from 'picomatch'
import { CodedError } from './coded-error.js'

const options = { strictBrackets: true, windows: false, nonegate: true }

/** More wildcards in one name can take minutes to match a name of 250 characters. */
const mostWildcards = 3
/** The limit of file systems, in bytes. Members of archives may have longer names. */
const longestName = 255

/**
 * A function that checks if a path with forward slashes matches one of the patterns. Check `patternProblem` first.
 *
 * @throws {CodedError} `name_too_long` from the returned function, if a name of the path has over 255 characters
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
  /** Indices of the steps of the pattern that may match the next name. */
  at: readonly number[]
}

/** A pattern that is matched name by name, in linear time. */
export type Pattern = ReturnType<typeof compilePattern>

/** Compile a pattern. Without `dot`, a name that begins with a dot matches only a pattern that begins with one. */
export function compilePattern(pattern: string, { dot }: { dot: boolean }) {
  const steps = stepsOf(pattern).map((step) => {
    if (step === '**') return step
    return step === '' ? (name: string) => name === '' : picomatch(step, { ...options, dot })
  })
  const progress = (from: readonly number[]): Progress => {
    const at = new Set(from)
    // `**` also matches no name.
    for (const step of at) if (steps[step] === '**') at.add(step + 1)
    return { isMatch: at.has(steps.length), isOpen: [...at].some((step) => step < steps.length), at: [...at] }
  }
  return {
    start: progress([0]),
    next({ at }: Progress, name: string): Progress {
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

const tooLong = (name: string): CodedError =>
  new CodedError('name_too_long', `${name.slice(0, 80)}…: a name of over ${longestName} characters.`, {
    hint: 'rename the file: patterns do not match longer names',
  })

export function patternProblem(pattern: string): string | undefined {
  if (/^!(?!\()/.test(pattern)) return '"!" at the start'
  if (/\{[^{}]*\//.test(pattern)) return '"/" in braces: use two patterns'
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

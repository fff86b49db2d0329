import picomatch from 'picomatch'
import { CodedError } from './coded-error.js'

// `posix`: `[!a]` is any character but "a", as in a shell.
const options = { strictBrackets: true, windows: false, nonegate: true, posix: true }

/** More wildcards in one name can take minutes to match a name of 250 characters. */
const mostWildcards = 3
/** The limit of file systems, in bytes. Members of archives may have longer names. */
const longestName = 255
const mostAlternatives = 1000

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
    if (step === '') return (name: string) => name === ''
    const matches = picomatch(step, { ...options, dot })
    const isVisible = !dot && /^(?:[[?*]|!\()/.test(step)
    return (name: string) => matches(name) && !(isVisible && name.startsWith('.'))
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

/**
 * The patterns that the braces of a pattern stand for, as a shell expands `{a,b}`. Ranges such as `{1..3}` stay. Undefined
 * for more than a thousand.
 */
export function alternativesOf(pattern: string): string[] | undefined {
  for (let all = [pattern]; all.length <= mostAlternatives; ) {
    const next = all.flatMap(withoutBrace)
    if (next.length === all.length) return all
    all = next
  }
  return undefined
}

/** The alternatives of an innermost brace. */
function withoutBrace(pattern: string): string[] {
  for (const { 0: braces, 1: inside = '', index } of pattern.matchAll(/\{([^{}]*)\}/g)) {
    if (!inside.includes(',') || inside.includes('\\') || pattern[index - 1] === '\\') continue
    const [before, after] = [pattern.slice(0, index), pattern.slice(index + braces.length)]
    return inside.split(',').map((each) => before + each + after)
  }
  return [pattern]
}

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

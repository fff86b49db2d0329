import { dirname, isAbsolute, posix, relative, resolve, sep } from 'node:path'
import { isInside } from '../../input/candidates.js'
import type { Io } from '../../io.js'
import { isStdin } from '../../packed-names.js'
import { matcherOf } from '../policy/patterns.js'
import type { Looked } from './next-baseline.js'

/**
 * What was looked at by a check of these paths, for a baseline whose entries are named from its own folder; `isUnseen` says
 * of an absolute path that it was excluded or could not be read.
 */
export function lookedAt(
  io: Pick<Io, 'resolve' | 'isThere'>,
  baseline: string,
  paths: readonly string[],
  isUnseen: (path: string) => boolean,
): Looked {
  const folder = dirname(io.resolve(baseline))
  const roots = paths.filter((path) => path !== '-').map((path) => io.resolve(path))
  const isMatch = matchIn(
    io,
    paths.filter((path) => path !== '-' && !io.isThere(path)),
  )
  return {
    isOutside(path) {
      if (isStdin(path)) return !paths.includes('-')
      const file = resolve(folder, path)
      return isUnseen(file) || (!roots.some((root) => isInside(root, file)) && !isMatch(file))
    },
    isThere: (path) => !isStdin(path) && io.isThere(resolve(folder, path)),
  }
}

/** Whether a file is one that a pattern names, or a member of such an archive. */
function matchIn({ resolve: at }: Pick<Io, 'resolve'>, patterns: readonly string[]) {
  if (patterns.length === 0) return () => false
  const matches = patterns.map((pattern) => {
    const plain = posix.normalize(pattern)
    const isMatch = matcherOf([plain, `${plain}/**`])
    return (file: string) => isMatch((isAbsolute(plain) ? file : relative(at('.'), file)).split(sep).join('/'))
  })
  return (file: string) => matches.some((isMatch) => isMatch(file))
}

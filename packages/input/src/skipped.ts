import { count, firstNames } from '@svc/text'

/** The reason why a path in a named folder, pattern or archive is not read. */
export type SkipReason =
  | 'excluded'
  | 'hidden'
  | 'other file'
  | 'file of svc'
  | 'companion'
  | 'link not followed'
  | 'broken link'

interface SkippedPaths {
  count: number
  paths: string[]
}

export type Skipped = Map<SkipReason, SkippedPaths>

/** The most paths that are kept for a reason. */
const mostNamed = 20

export function addSkipped(skipped: Skipped, why: SkipReason, path: string): void {
  const known = skipped.get(why) ?? { count: 0, paths: [] }
  skipped.set(why, known)
  if (known.paths.length < mostNamed) known.paths.push(path)
  known.count++
}

const describeSkipped: Record<SkipReason, (n: number) => string> = {
  excluded: (n) => `${count(n, 'path')} excluded`,
  hidden: (n) => `${n} hidden skipped`,
  'other file': (n) => `${count(n, 'other file')} skipped`,
  'file of svc': (n) => `${count(n, 'file')} of svc skipped`,
  companion: (n) => `${count(n, 'companion file')} skipped`,
  'link not followed': (n) => `${count(n, 'link')} not followed (--follow-links follows them)`,
  'broken link': (n) => `${count(n, 'broken link')} skipped`,
}

export const skippedLines = (skipped: Skipped): string[] =>
  (Object.keys(describeSkipped) as SkipReason[]).flatMap((why) => {
    const found = skipped.get(why)
    return found ? [`${describeSkipped[why](found.count)}: ${firstNames(found.paths, found.count)}`] : []
  })

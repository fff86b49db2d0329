import { count, firstNames } from '../terminal/index.js'

/** Why something in a named folder, pattern or archive is neither read nor counted as a transcript. */
export type SkipReason =
  | 'excluded'
  | 'hidden'
  | 'other file'
  | 'file of svc'
  | 'companion'
  | 'link not followed'
  | 'broken link'

/** What was left out for one reason: how many paths, and the first of them. */
interface SkippedPaths {
  count: number
  paths: string[]
}

/** What was left out, by reason. */
export type Skipped = Map<SkipReason, SkippedPaths>

/** So many paths of a reason are named; a folder may hold a million files of another kind. */
const mostNamed = 20

export function addSkipped(skipped: Skipped, why: SkipReason, path: string): void {
  const known = skipped.get(why) ?? { count: 0, paths: [] }
  skipped.set(why, known)
  if (known.paths.length < mostNamed) known.paths.push(path)
  known.count++
}

const describeSkipped: Record<SkipReason, (n: number) => string> = {
  excluded: (n) => `${count(n, 'path')} excluded`,
  hidden: (n) => `${n} hidden, not considered`,
  'other file': (n) => `${count(n, 'other file')} not considered`,
  'file of svc': (n) => `${count(n, 'file')} of svc left out`,
  companion: (n) => `${count(n, 'companion file')} left out`,
  'link not followed': (n) => `${count(n, 'link')} not followed (--follow-links follows them)`,
  'broken link': (n) => `${count(n, 'broken link')} left out`,
}

/** A line for each reason, with the first paths. */
export const skippedLines = (skipped: Skipped): string[] =>
  (Object.keys(describeSkipped) as SkipReason[]).flatMap((why) => {
    const found = skipped.get(why)
    return found ? [`${describeSkipped[why](found.count)}: ${firstNames(found.paths, found.count)}`] : []
  })

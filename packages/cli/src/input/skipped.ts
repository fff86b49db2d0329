import { count, firstNames } from '@svc/text'

/** The reason why a path in a named folder, pattern or archive is not read. */
export type SkipReason =
  | 'excluded'
  | 'hidden'
  | 'other file'
  | 'other name'
  | 'file of svc'
  | 'companion'
  | 'link not followed'
  | 'broken link'
  | 'special file'
  | 'no session'
  | 'missing'
  | 'not listed'
  | 'policy not applied'
  | 'unmatched exclusion'

interface SkippedPaths {
  count: number
  paths: string[]
}

export type Skipped = Map<SkipReason, SkippedPaths>

/** The most paths that are kept for a reason. */
const mostNamed = 20

export function addSkipped(skipped: Skipped, why: SkipReason, path: string): void {
  const entry = skipped.get(why) ?? { count: 0, paths: [] }
  skipped.set(why, entry)
  if (entry.paths.length < mostNamed) entry.paths.push(path)
  entry.count++
}

const describeSkipped: Record<SkipReason, (n: number) => string> = {
  excluded: (n) => `${count(n, 'path')} excluded`,
  hidden: (n) => `${n} hidden skipped`,
  'other file': (n) => `${count(n, 'other file')} skipped`,
  'other name': (n) =>
    `${count(n, 'file')} that ${n === 1 ? 'looks' : 'look'} like transcripts skipped because of ${n === 1 ? 'its name' : 'their names'}`,
  'file of svc': (n) => `${count(n, 'file')} of svc skipped`,
  companion: (n) => `${count(n, 'companion file')} skipped`,
  'link not followed': (n) => `${count(n, 'link')} not followed (--follow-links follows them)`,
  'broken link': (n) => `${count(n, 'broken link')} skipped`,
  'special file': (n) => `${count(n, 'special file')} not read (a pipe, a socket or a device)`,
  'no session': (n) => `${count(n, 'folder')} of messages without the file of their session skipped`,
  missing: (n) => `${count(n, 'path')} ${n === 1 ? 'does' : 'do'} not exist`,
  'not listed': (n) => `${count(n, 'file')} not listed by --files-from skipped`,
  'policy not applied': (n) =>
    `${n === 1 ? '1 nested policy' : `${n} nested policies`} not applied (a check has one policy)`,
  'unmatched exclusion': (n) => `${count(n, 'pattern')} of --exclude or "exclude" without a match`,
}

/** Reasons that may hide a mistake, so that reports note them. */
const noted: readonly SkipReason[] = [
  'other name',
  'special file',
  'no session',
  'missing',
  'policy not applied',
  'unmatched exclusion',
]

export const skippedLines = (skipped: Skipped, of = Object.keys(describeSkipped) as readonly SkipReason[]): string[] =>
  of.flatMap((why) => {
    const entry = skipped.get(why)
    return entry ? [`${describeSkipped[why](entry.count)}: ${firstNames(entry.paths, entry.count)}`] : []
  })

/** The lines that the report of a check lists, too. */
export const notedLines = (skipped: Skipped): string[] => skippedLines(skipped, noted)

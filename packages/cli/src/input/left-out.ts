import { count, firstOf } from '../terminal/index.js'

/** Why something in a named folder, pattern or archive is neither read nor counted as a transcript. */
export type Why =
  | 'excluded'
  | 'hidden'
  | 'other file'
  | 'file of svc'
  | 'companion'
  | 'link not followed'
  | 'broken link'

/** What was left out for one reason: how many paths, and the first of them. */
interface LeftOutPaths {
  count: number
  paths: string[]
}

/** What was left out, by reason. */
export type LeftOut = Map<Why, LeftOutPaths>

/** So many paths of a reason are named; a folder may hold a million files of another kind. */
const mostNamed = 20

export function leaveOut(leftOut: LeftOut, why: Why, path: string): void {
  const known = leftOut.get(why) ?? { count: 0, paths: [] }
  leftOut.set(why, known)
  if (known.paths.length < mostNamed) known.paths.push(path)
  known.count++
}

const inWords: Record<Why, (n: number) => string> = {
  excluded: (n) => `${count(n, 'path')} excluded`,
  hidden: (n) => `${n} hidden, not considered`,
  'other file': (n) => `${count(n, 'other file')} not considered`,
  'file of svc': (n) => `${count(n, 'file')} of svc left out`,
  companion: (n) => `${count(n, 'companion file')} left out`,
  'link not followed': (n) => `${count(n, 'link')} not followed (--follow-links follows them)`,
  'broken link': (n) => `${count(n, 'broken link')} left out`,
}

/** A line for each reason, with the first paths. */
export const leftOutLines = (leftOut: LeftOut): string[] =>
  (Object.keys(inWords) as Why[]).flatMap((why) => {
    const found = leftOut.get(why)
    return found ? [`${inWords[why](found.count)}: ${firstOf(found.paths, found.count)}`] : []
  })

import { scale } from '@svc/report-viewer'
import { isOnScale } from './policy/index.js'

/** How often a transcript is asked about. */
export interface AttemptLimits {
  /** At most, from 1. */
  attempts: number
  /** Asks again only where the first attempt is against the check, and no oftener than the vote needs. */
  confirmOnFail: boolean
}

/** What one attempt says of a transcript. */
export interface AttemptResult {
  outcome: string
  /** Fails the check. */
  fails: boolean
  /** Counts for one of the rates. */
  counts: boolean
}

const isAgainst = ({ fails, counts }: AttemptResult): boolean => fails || counts
const isIndeterminate = ({ outcome }: AttemptResult): boolean => outcome === 'indeterminate'
const isUngraded = ({ outcome }: AttemptResult): boolean => !isOnScale(outcome)

/** Whether to ask once more, after these attempts. A first failure is always confirmed by one more attempt. */
export function needsAnotherAttempt(results: readonly AttemptResult[], limits: AttemptLimits): boolean {
  const [first] = results
  if (results.length >= limits.attempts) return false
  if (!first || !limits.confirmOnFail) return true
  return isAgainst(first) && (results.length === 1 || isUndecided(results, limits))
}

/** Whether attempts that are missing could turn the vote. */
export function isUndecided(results: readonly AttemptResult[], { attempts, confirmOnFail }: AttemptLimits): boolean {
  const [first] = results
  if (!first) return true
  if (confirmOnFail && !isAgainst(first)) return false
  const missing = attempts - results.length
  const vote = (is: (result: AttemptResult) => boolean) => {
    const n = results.filter(is).length
    return n * 2 >= attempts ? 'half' : (n + missing) * 2 >= attempts ? 'open' : 'less'
  }
  const failing = vote(({ fails }) => fails)
  if (failing !== 'less') return failing === 'open'
  return [isUngraded, isIndeterminate, isAgainst].some((is) => vote(is) === 'open')
}

/**
 * Which attempt stands for a transcript: the first with the middle outcome of the side that won, the worse of two. Of
 * several with that outcome, one that counts for a rate where half of them do.
 */
export function decisiveAttempt(results: readonly AttemptResult[]): number {
  const side = winningSide(results)
  const graded = side.filter((each) => !isUngraded(each)).sort((a, b) => rank(a) - rank(b))
  const middle = graded[Math.floor(graded.length / 2)]
  const isGraded = middle !== undefined && graded.length * 2 >= side.length
  const candidates = side.filter((each) => (isGraded ? each.outcome === middle.outcome : isUngraded(each)))
  const counting = candidates.filter(({ counts }) => counts)
  const isHalf = counting.length * 2 >= candidates.length
  return results.findIndex((each) => candidates.includes(each) && each.counts === isHalf)
}

/**
 * Half or more failing attempts fail a transcript. Else half or more that are on no scale leave it without an outcome on
 * the scale: `indeterminate`, or one that the interface does not list. Else the others decide.
 */
function winningSide(results: readonly AttemptResult[]): AttemptResult[] {
  const isHalf = (is: (result: AttemptResult) => boolean) => results.filter(is).length * 2 >= results.length
  const passing = results.filter(({ fails }) => !fails)
  if (isHalf(({ fails }) => fails)) return results.filter(({ fails }) => fails)
  if (isHalf(isIndeterminate)) return passing.filter(isIndeterminate)
  if (!isHalf(isUngraded)) return passing.filter((each) => !isUngraded(each))
  const unlisted = passing.filter((each) => isUngraded(each) && !isIndeterminate(each))
  return unlisted.length > 0 ? unlisted : passing.filter(isUngraded)
}

/** Whether attempts differ in what they are to the check: failing, without an outcome on the scale, or passing. */
export const isFlaky = (results: readonly AttemptResult[]): boolean =>
  new Set(results.map((each) => (each.fails ? 'fails' : isUngraded(each) ? 'ungraded' : each.counts))).size > 1

const rank = ({ outcome }: AttemptResult): number => (scale as readonly string[]).indexOf(outcome)

import { isOnScale, rankOf } from '../policy/index.js'

/** How often each transcript is annotated. */
export interface AttemptLimits {
  /** The largest number of attempts, from 1. */
  attempts: number
  /** Repeat only if the first attempt is against the check, and stop as soon as the vote is decided. */
  confirmOnFail: boolean
}

export interface AttemptResult {
  outcome: string
  fails: boolean
  /** The attempt counts for a rate of the policy. */
  counts: boolean
}

type Test = (result: AttemptResult) => boolean

const isFailing: Test = ({ fails }) => fails
const isAgainst: Test = ({ fails, counts }) => fails || counts
const isIndeterminate: Test = ({ outcome }) => outcome === 'indeterminate'
const isUngraded: Test = ({ outcome }) => !isOnScale(outcome)

/** A first failure is always confirmed by one more attempt. */
export function needsAnotherAttempt(results: readonly AttemptResult[], limits: AttemptLimits): boolean {
  const [first] = results
  if (results.length >= limits.attempts) return false
  if (!first || !limits.confirmOnFail) return true
  return isAgainst(first) && (results.length === 1 || isUndecided(results, limits))
}

/** True while the missing attempts could change the vote. */
export function isUndecided(results: readonly AttemptResult[], { attempts, confirmOnFail }: AttemptLimits): boolean {
  const [first] = results
  if (!first) return true
  if (confirmOnFail && !isAgainst(first)) return false
  const missing = attempts - results.length
  const vote = (test: Test) => {
    const n = results.filter(test).length
    return n * 2 >= attempts ? 'half' : (n + missing) * 2 >= attempts ? 'open' : 'less'
  }
  const failing = vote(isFailing)
  if (failing !== 'less') return failing === 'open'
  return [isUngraded, isIndeterminate, isAgainst].some((test) => vote(test) === 'open')
}

/** True if the missing attempts cannot change that the transcript fails. */
export const isFailed = (results: readonly AttemptResult[], limits: AttemptLimits): boolean =>
  !isUndecided(results, limits) && results[decisiveAttempt(results)]?.fails === true

/**
 * The index of the attempt that decides: the first with the middle outcome of the winning side, the worse of two. Among
 * several with that outcome, one that counts for a rate if half of them do.
 */
export function decisiveAttempt(results: readonly AttemptResult[]): number {
  const side = winningSide(results)
  const graded = side.filter((each) => !isUngraded(each)).sort((a, b) => rankOf(a.outcome) - rankOf(b.outcome))
  const middle = graded[Math.floor(graded.length / 2)]
  const isGraded = middle !== undefined && graded.length * 2 >= side.length
  const candidates = side.filter((each) => (isGraded ? each.outcome === middle.outcome : isUngraded(each)))
  const isHalfCounting = candidates.filter(({ counts }) => counts).length * 2 >= candidates.length
  return results.findIndex((each) => candidates.includes(each) && each.counts === isHalfCounting)
}

/**
 * Half or more failing attempts fail a transcript. Otherwise half or more attempts without an outcome on the scale win, as
 * `indeterminate` or as an outcome that the interface does not list. Otherwise the remaining attempts decide.
 */
function winningSide(results: readonly AttemptResult[]): AttemptResult[] {
  const isHalf = (test: Test) => results.filter(test).length * 2 >= results.length
  const passing = results.filter(({ fails }) => !fails)
  if (isHalf(isFailing)) return results.filter(isFailing)
  if (isHalf(isIndeterminate)) return passing.filter(isIndeterminate)
  if (!isHalf(isUngraded)) return passing.filter((each) => !isUngraded(each))
  const unlisted = passing.filter((each) => isUngraded(each) && !isIndeterminate(each))
  return unlisted.length > 0 ? unlisted : passing.filter(isUngraded)
}

/** True if attempts differ in kind: failing, without an outcome on the scale, or passing. */
export const isFlaky = (results: readonly AttemptResult[]): boolean =>
  new Set(results.map((each) => (each.fails ? 'fails' : isUngraded(each) ? 'ungraded' : each.counts))).size > 1

import { scale } from './policy/policy.js'

/** How often a transcript is asked about. */
export interface Attempts {
  /** At most, from 1. */
  attempts: number
  /** Asks again only where the first attempt is against the check, and no oftener than the majority needs. */
  confirmOnFail: boolean
}

/** What an attempt said: its outcome, and whether it is against the check: fails it, or counts for a rate. */
export interface Said {
  outcome: string
  isAgainst: boolean
}

/** Whether to ask once more, after these attempts. A transcript is against the check where more than half of them are. */
export function asksAgain(said: readonly Said[], { attempts, confirmOnFail }: Attempts): boolean {
  if (said.length >= attempts) return false
  if (said.length === 0 || !confirmOnFail) return true
  return isOpen(said, { attempts, confirmOnFail })
}

/** Whether attempts that are missing could turn what most of them say. */
export function isOpen(said: readonly Said[], { attempts, confirmOnFail }: Attempts): boolean {
  const [first] = said
  if (!first) return true
  if (confirmOnFail && !first.isAgainst) return false
  const against = said.filter(({ isAgainst }) => isAgainst).length
  const missing = attempts - said.length
  return against * 2 <= attempts && (against + missing) * 2 > attempts
}

/**
 * Which attempt speaks for a transcript: of those that are on the side of more than half, the first with their middle
 * outcome, the better one of two.
 */
export function spokenFor(said: readonly Said[]): number {
  const isAgainst = said.filter((each) => each.isAgainst).length * 2 > said.length
  const side = said.filter((each) => each.isAgainst === isAgainst)
  const ranked = side.map(({ outcome }) => rank(outcome)).filter((at) => at >= 0)
  const middle = ranked.sort((a, b) => a - b)[Math.floor((ranked.length - 1) / 2)] ?? -1
  const isGraded = ranked.length * 2 >= side.length
  return said.findIndex(
    (each) => each.isAgainst === isAgainst && (isGraded ? rank(each.outcome) === middle : rank(each.outcome) < 0),
  )
}

const rank = (outcome: string): number => (scale as readonly string[]).indexOf(outcome)

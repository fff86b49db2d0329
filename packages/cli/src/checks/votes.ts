/** How often a transcript is asked about. */
export interface Attempts {
  /** At most, from 1. */
  attempts: number
  /** Asks again only where the first attempt fails, and no oftener than the majority needs. */
  confirmOnFail: boolean
}

/** Whether to ask once more, after attempts of which these failed. A transcript fails by more than half of its attempts. */
export function asksAgain(failed: readonly boolean[], { attempts, confirmOnFail }: Attempts): boolean {
  if (failed.length >= attempts) return false
  if (failed.length === 0 || !confirmOnFail) return true
  if (!failed[0]) return false
  const bad = failed.filter(Boolean).length
  return bad * 2 <= attempts && (failed.length - bad) * 2 < attempts
}

/** Which attempt speaks for a transcript: the first of those that say what more than half of them say. */
export function spokenFor(failed: readonly boolean[]): number {
  const fails = failed.filter(Boolean).length * 2 > failed.length
  return failed.indexOf(fails)
}

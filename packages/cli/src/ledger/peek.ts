import type { Ledger } from './contract.js'
import { cannotOpen } from './failure.js'
import { ledgerFiles } from './files.js'
import type { Target } from './identity.js'
import { eventsOf } from './read.js'
import { createStandings } from './standings.js'

/** What is known of items, read without a lock and without making anything: another process may be writing. */
export function peek(folder: string | undefined, target: Target): Pick<Ledger, 'standing' | 'changedFrom'> {
  const standings = createStandings(target, undefined)
  const { of: standing, changedFrom } = standings
  if (folder === undefined) return { standing, changedFrom }
  try {
    for (const { event } of eventsOf(ledgerFiles(folder, target))) standings.recall(event)
  } catch (error) {
    throw cannotOpen(folder, error)
  }
  return { standing, changedFrom }
}

import type { Standing } from './contract.js'
import { cannotOpen } from './failure.js'
import { ledgerFiles } from './files.js'
import type { Identity, Target } from './identity.js'
import { eventsOf } from './read.js'
import { createStandings } from './standings.js'

/** What is known of items, read without a lock and without making anything: another process may be writing. */
export function peek(folder: string | undefined, target: Target): (identity: Identity) => Standing | undefined {
  const standings = createStandings(target, undefined)
  if (folder === undefined) return () => undefined
  try {
    for (const { event } of eventsOf(ledgerFiles(folder, target))) standings.tell(event)
  } catch (error) {
    throw cannotOpen(folder, error)
  }
  return standings.of
}

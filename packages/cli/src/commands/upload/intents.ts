import type { Intent } from '../../ledger/events.js'
import type { Ledger } from '../../ledger/ledger.js'
import { promised } from '../../promised.js'

/** Writes intents down many at a time: a disk takes as long to sync one as it takes to sync many. */
export interface Intents {
  /** Resolves when the intent is on disk; rejects as `Ledger.intend` does. */
  add(intent: Intent): Promise<void>
  /** Says that one of them is done with, whatever became of it. */
  done(): void
}

/** So many wait for no others. */
export const together = 64

/** Neither does any where fewer than these, beyond those that are sent at once, are written and not done with. */
export const inReserve = 16

export function gatherIntents(ledger: Pick<Ledger, 'intend'>, concurrency: number): Intents {
  let gathered: Intent[] = []
  let written = promised()
  let ahead = 0
  const writeWhereDue = () => {
    const isDue = gathered.length >= together || ahead < concurrency + inReserve
    if (gathered.length === 0 || !isDue) return
    ahead += gathered.length
    written.give(ledger.intend(gathered))
    gathered = []
    written = promised()
  }
  return {
    add(intent) {
      gathered.push(intent)
      const { promise } = written
      writeWhereDue()
      return promise
    },
    done() {
      ahead--
      writeWhereDue()
    },
  }
}

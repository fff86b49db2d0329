import type { Context } from '../../context.js'
import { fold, type Item, openLedger } from '../../ledger/index.js'
import type { Entry } from './ledgers.js'

/** Record an event of items in their locked ledgers, unless their state has changed. Returns the changed items. */
export async function change(
  { now }: Context,
  folder: string,
  entries: readonly Entry[],
  event: 'retry' | 'forgotten',
  mayStill: (item: Item) => boolean = () => true,
): Promise<Entry[]> {
  const changed: Entry[] = []
  for (const book of new Set(entries.map((entry) => entry.book))) {
    const ledger = await openLedger({ folder, target: book.target, now })
    try {
      for (const { item } of entries.filter((entry) => entry.book === book)) {
        const present = ledger.item(item.key)
        if (!present || !mayStill(present)) continue
        ledger.append({ event, key: item.key })
        const stamp = { n: 0, at: new Date(now()).toISOString(), run: item.run }
        changed.push({ book, item: fold(item, { ...stamp, event, key: item.key }) ?? item })
      }
    } finally {
      await ledger.release()
    }
  }
  return changed
}

/** The closing line: of those that were named, how many were changed. */
export const changeSummary = (named: readonly Entry[], changed: readonly Entry[]) => ({
  schema: 'svc/uploads-change-summary@1',
  total: named.length,
  changed: changed.length,
})

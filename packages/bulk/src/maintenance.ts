import type { CallOptions, SvcClient } from '@svc/client'
import { environmentOf, type GivenEnvironment } from './environment-of.js'
import {
  type Checkpoint,
  emptiedFiles,
  fold,
  type Item,
  identify,
  type LeaseOptions,
  lock,
  openLedger,
  type Rebuilt,
  type Reconciled,
  type ReconcileOptions,
  rebuild,
  reconcile,
  stemIn,
  type Target,
} from './ledger/index.js'

/** Options of work on the ledger of one target. Durations in milliseconds. */
export interface LedgerWork extends GivenEnvironment, LeaseOptions {
  /** The folder of the ledgers. */
  folder: string
  /** The service and the project of the ledger. */
  target: Target
  /** Awaited now and then while the ledger is read, so that signals and timers can act. Its rejection ends the work. */
  checkpoint?: Checkpoint | undefined
}

/** Options of work that asks the service, too. */
export interface ServiceWork extends LedgerWork {
  /** The client that asks. */
  client: SvcClient
  /** The options of the next call. Default: none. */
  call?: (() => Pick<CallOptions, 'signal' | 'deadlineMs'>) | undefined
}

/** Options of `reconcileLedger`. */
export type ReconcileWork = ServiceWork & Pick<ReconcileOptions, 'timeoutMs' | 'settleMs' | 'onWait'>

/** What a reconciliation found. */
export interface ReconciledLedger {
  /** The uploads whose result was unknown. */
  uploads: Reconciled[]
  /** The number of transcripts that a rebuild could not identify, and that show their stamp or content now. */
  identified: number
  /** The number of those that still show neither: an upload that looks like one is not sent. */
  ambiguous: number
}

/**
 * Search the service for all uploads of a target whose result is unknown, and record what is found: stored, certainly not
 * stored, or still unknown. Read the transcripts again that a rebuild could not identify. Rejects with a BulkError if the
 * ledger cannot be used, and as the calls do.
 */
export async function reconcileLedger(work: ReconcileWork): Promise<ReconciledLedger> {
  const { call = () => ({}) } = work
  const { clock } = environmentOf(work)
  const ledger = await openLedger(work)
  try {
    const uploads = await reconcile(ledger, ledger.unresolved(), { ...work, clock, call })
    const identified = await identify(ledger, work.target.project, { client: work.client, call })
    return { uploads, identified, ambiguous: ledger.ambiguous().length }
  } finally {
    await ledger.release()
  }
}

/**
 * Restore a lost or damaged ledger from the stamps that the service stores with the uploads. The ledger is replaced as a
 * whole at the end. If `complete` of the result is false, the service may have more than it listed, and the next upload
 * could store that twice.
 */
export async function rebuildLedger(work: ServiceWork): Promise<Rebuilt & { ledger: string }> {
  const { client, folder, target, call = () => ({}) } = work
  const { disk } = environmentOf(work)
  const emptied = () => emptiedFiles(folder, { target }, disk)
  const ledger = await openLedger({ ...work, emptied: emptied(), rebuilds: true })
  try {
    const rebuilt = await rebuild(ledger, target.project, { client, call })
    const file = await ledger.publish()
    // Only now: until then they say that something was lost.
    for (const path of emptied()) disk.remove(path)
    // After a loss of power, a file that appears again would end the next upload.
    disk.syncFolder(folder)
    return { ledger: file, ...rebuilt }
  } finally {
    await ledger.release()
  }
}

/**
 * Record that items are to be sent again (`retry`) or were never sent (`forgotten`), if `mayStill` agrees to their present
 * state. Returns the changed items.
 */
export async function changeItems(
  work: LedgerWork,
  items: readonly Item[],
  event: 'retry' | 'forgotten',
  mayStill: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const { clock } = environmentOf(work)
  const ledger = await openLedger(work)
  try {
    return items.flatMap((item) => {
      const { key, run } = item
      const present = ledger.item(key)
      if (!present || !mayStill(present)) return []
      ledger.append({ event, key })
      return [fold(item, { n: 0, at: new Date(clock.now()).toISOString(), run, event, key }) ?? item]
    })
  } finally {
    await ledger.release()
  }
}

/** Remove a ledger without entries, unless it has some now. Rejects with a BulkError while a process may write it. */
export async function removeEmptied(
  folder: string,
  path: string,
  given: GivenEnvironment & LeaseOptions = {},
): Promise<void> {
  const environment = environmentOf(given)
  const { disk } = environment
  const { release } = await lock(folder, stemIn(path), undefined, environment, given)
  try {
    if (emptiedFiles(folder, {}, disk).includes(path)) disk.remove(path)
    disk.syncFolder(folder)
  } finally {
    release()
  }
}

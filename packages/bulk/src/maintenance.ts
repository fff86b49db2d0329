import type { CallOptions, SvcClient } from '@svc/client'
import { environmentNames, environmentOf, type GivenEnvironment } from './environment-of.js'
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
import { checkOptions, type OptionNames } from './options.js'
import { targetOf } from './upload/index.js'

/** Options of `rebuildLedger`. Durations in milliseconds. */
export interface RebuildLedgerOptions extends GivenEnvironment, LeaseOptions {
  /** The client that asks. */
  client: SvcClient
  /** The id of the project. */
  project: string
  /** The public base URL, which is part of each key in the ledger. Default: that of the client. */
  baseUrl?: string | undefined
  /** The folder of the ledgers. */
  ledger: string
  /** The options of the next call. Default: none. */
  call?: (() => Pick<CallOptions, 'signal' | 'deadlineMs'>) | undefined
  /** Awaited now and then while the ledger is read, so that signals and timers can act. Its rejection ends the work. */
  checkpoint?: Checkpoint | undefined
}

/** Options of `reconcileLedger`. */
export interface ReconcileLedgerOptions
  extends RebuildLedgerOptions,
    Pick<ReconcileOptions, 'timeoutMs' | 'settleMs' | 'onWait'> {}

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
 * Search the service for all uploads to a project whose result is unknown, and record what is found: stored, certainly not
 * stored, or still unknown. Read the transcripts again that a rebuild could not identify. Rejects with a BulkError if the
 * ledger cannot be used, and as the calls do.
 *
 * @throws {InputError} for an option that is unknown, missing or of another type
 *
 * @example
 * const { uploads } = await reconcileLedger({ client: svc, project, ledger: './ledger' })
 */
export async function reconcileLedger(options: ReconcileLedgerOptions): Promise<ReconciledLedger> {
  const target = targetIn('reconcileLedger', options, reconcileNames)
  const { client, ledger: folder, call = () => ({}) } = options
  const { clock } = environmentOf(options)
  const ledger = await openLedger({ ...options, folder, target })
  try {
    const uploads = await reconcile(ledger, ledger.unresolved(), { ...options, target, clock, call })
    const identified = await identify(ledger, target.project, { client, call })
    return { uploads, identified, ambiguous: ledger.ambiguous().length }
  } finally {
    await ledger.release()
  }
}

/**
 * Restore a lost or damaged ledger from the stamps that the service stores with the uploads. The ledger is replaced as a
 * whole at the end; `ledger` is its file. If `complete` of the result is false, the service may have more than it listed, and
 * the next upload could store that twice. Rejects with a BulkError if the ledger cannot be used, and as the calls do.
 *
 * @throws {InputError} for an option that is unknown, missing or of another type
 *
 * @example
 * const { seen, added } = await rebuildLedger({ client: svc, project, ledger: './ledger' })
 */
export async function rebuildLedger(options: RebuildLedgerOptions): Promise<Rebuilt & { ledger: string }> {
  const target = targetIn('rebuildLedger', options, rebuildNames)
  const { client, ledger: folder, call = () => ({}) } = options
  const { disk } = environmentOf(options)
  const emptied = () => emptiedFiles(folder, { target }, disk)
  const ledger = await openLedger({ ...options, folder, target, emptied: emptied(), rebuilds: true })
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

const rebuildNames: OptionNames<RebuildLedgerOptions> = {
  ...environmentNames,
  ...{ client: true, project: true, baseUrl: true, ledger: true, call: true, checkpoint: true },
  ...{ leaseMs: true, onLease: true, stop: true },
}
const reconcileNames: OptionNames<ReconcileLedgerOptions> = {
  ...rebuildNames,
  ...{ timeoutMs: true, settleMs: true, onWait: true },
}

/** The target of checked options. */
function targetIn(caller: string, options: RebuildLedgerOptions, known: object): Target {
  checkOptions(caller, Object(options), known)
  return targetOf(options)
}

/** Options of work on the ledger of one target. */
export interface LedgerWork extends GivenEnvironment, LeaseOptions, Pick<RebuildLedgerOptions, 'checkpoint'> {
  /** The folder of the ledgers. */
  folder: string
  /** The service and the project of the ledger. */
  target: Target
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

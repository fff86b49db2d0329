export { createEntryStates, type EntryState, readStates, type UnresolvedEntry } from './entry-states.js'
export {
  type ClosingEvent,
  fold,
  hasUnknownOutcome,
  type Intent,
  type Item,
  statusOf,
} from './events.js'
export { cannotWrite, lost, noFolder, otherVersion } from './failure.js'
export {
  type Checkpoint,
  emptiedFiles,
  fileOf,
  historyOf,
  ledgersOf,
  ledgerTargets,
  type ReadOptions,
  readLedgers,
  stemIn,
  stemOf,
  type TargetLedger,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './files.js'
export * from './identity.js'
export { createJournal, type Journal } from './journal.js'
export { defaultLeaseMs } from './lease.js'
export { type Ledger, openLedger, syncFolders } from './ledger.js'
export { type LeaseOptions, type LedgerOwner, lock } from './lock.js'
export {
  completeRebuild,
  identify,
  mostEarlyPages,
  type Rebuilt,
  type Reconciled,
  type ReconcileOptions,
  rebuild,
  reconcile,
} from './reconcile.js'
export type { Fingerprint } from './unidentified.js'

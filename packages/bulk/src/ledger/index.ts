export { createEntryStates, type EntryState, readStates, type UnresolvedEntry } from './entry-states.js'
export {
  type ClosingEvent,
  fold,
  hasUnknownOutcome,
  type Intent,
  type Item,
  statusOf,
} from './events.js'
export {
  type Checkpoint,
  emptiedFiles,
  fileOf,
  historyOf,
  type ReadOptions,
  readLedgers,
  stemIn,
  type TargetLedger,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './files.js'
export * from './identity.js'
export { type Ledger, openLedger } from './ledger.js'
export { type LeaseOptions, type LedgerOwner, lock } from './lock.js'
export {
  identify,
  mostEarlyPages,
  type Rebuilt,
  type Reconciled,
  type ReconcileOptions,
  rebuild,
  reconcile,
} from './reconcile.js'
export type { Fingerprint } from './unidentified.js'

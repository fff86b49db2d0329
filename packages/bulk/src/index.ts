/**
 * The durable upload of many transcripts.
 *
 * @module @svc/bulk
 */

export { BulkError, type BulkErrorCode } from './bulk-error.js'
export {
  type BulkEnvironment,
  type Disk,
  type DiskFile,
  type Host,
  nodeDisk,
  nodeHost,
  type Owner,
} from './environment/index.js'
export {
  type Checkpoint,
  type EntryState,
  emptiedFiles,
  fileOf as ledgerFileOf,
  hasUnknownOutcome,
  historyOf,
  type Identity,
  type Item,
  normalTarget,
  type ReadOptions,
  type Rebuilt,
  type Reconciled,
  readLedgers,
  readUploadStates,
  type Target,
  type TargetLedger,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './ledger/index.js'
export * from './maintenance.js'
export * from './shard.js'
export * from './upload/index.js'

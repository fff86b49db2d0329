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
  type Target,
  type TargetLedger,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './ledger/index.js'
export {
  changeItems,
  type LedgerWork,
  type ReconciledLedger,
  type ReconcileWork,
  rebuildLedger,
  reconcileLedger,
  removeEmptied,
  type ServiceWork,
} from './maintenance.js'
export { fileShard, type Shard, shardOf } from './shard.js'
export {
  applyUploads,
  type BulkUpload,
  createPreparer,
  type InvalidUpload,
  type PlannedUpload,
  type PlanOptions,
  type PreparedUpload,
  type PrepareOptions,
  planUploads,
  type ReadyUpload,
  type RunOptions,
  readUploadStates,
  type SkippedUpload,
  type UnsendableUpload,
  type UploadAllOptions,
  type UploadDecision,
  type UploadItem,
  type UploadPlan,
  type UploadResult,
  type UploadRun,
  type UploadStates,
  type UploadSummary,
  uploadAll,
  withBodies,
} from './upload/index.js'

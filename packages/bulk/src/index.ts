/**
 * The durable upload of many transcripts.
 *
 * @module @svc/bulk
 */

export { BulkError, type BulkErrorCode } from './bulk-error.js'
export type {
  BulkEnvironment,
  Disk,
  DiskFile,
  Host,
  MachineTime,
  Owner,
} from './environment/index.js'
export {
  type Checkpoint,
  type EntryState,
  type Identity,
  type Item,
  type LeaseOptions,
  type LedgerOwner,
  type ReadOptions,
  type Rebuilt,
  type Reconciled,
  readLedgers,
  type Target,
  type TargetLedger,
} from './ledger/index.js'
export {
  type RebuildLedgerOptions,
  type ReconciledLedger,
  type ReconcileLedgerOptions,
  rebuildLedger,
  reconcileLedger,
} from './maintenance.js'
export { type Shard, shardOf } from './shard.js'
export {
  applyUploads,
  type BulkUpload,
  createPreparer,
  type InvalidUpload,
  type OnceId,
  type PlannedUpload,
  type PlanOptions,
  type PreparedUpload,
  type PrepareOptions,
  planUploads,
  type ReadyUpload,
  type RunOptions,
  type SkippedUpload,
  type UnsendableUpload,
  type UploadAllOptions,
  type UploadDecision,
  type UploadItem,
  type UploadPlan,
  type UploadResult,
  type UploadRun,
  type UploadSummary,
  uploadAll,
  withBodies,
} from './upload/index.js'
export {
  createUploader,
  type Uploader,
  type UploaderEvent,
  type UploaderOptions,
  type UploaderResult,
  type UploaderStats,
} from './uploader/index.js'

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
  hasUnknownOutcome,
  historyOf,
  type Identity,
  type Item,
  normalTarget,
  type ReadOptions,
  type Rebuilt,
  type Reconciled,
  readLedgers,
  readOnlyView,
  type Target,
  type TargetLedger,
} from './ledger/index.js'
export {
  changeItems,
  type LedgerWork,
  ledgerFileOf,
  type ReconcileWork,
  rebuildLedger,
  reconcileLedger,
  removeEmptied,
  type ServiceWork,
} from './maintenance.js'
export { parseShard, type Shard, shardOf } from './shard.js'
export {
  appearanceOf,
  applyUploads,
  type BulkUpload,
  type CheckedUpload,
  createPreparer,
  type InvalidUpload,
  jsonOf,
  type PlannedUpload,
  type PlanOptions,
  type PrepareOptions,
  placeOf,
  planUploads,
  type ReadyUpload,
  type RunOptions,
  type SkippedUpload,
  type SkipReason,
  type UnsendableUpload,
  type UploadAllOptions,
  type UploadItem,
  type UploadPlan,
  type UploadResult,
  type UploadRun,
  type UploadSummary,
  uploadAll,
  withBodies,
} from './upload/index.js'

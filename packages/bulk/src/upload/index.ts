export * from './plan.js'
export {
  type BulkUpload,
  createPreparer,
  type OnceId,
  type PreparedUpload,
  type PrepareOptions,
  type ReadyUpload,
  type UploadDecision,
  type UploadItem,
} from './prepare.js'
export { type Run, type RunOptions, reconcileEntries, startRun, targetOf } from './run.js'
export { type PendingUpload, readyAhead, sendUploads, stopsTheRun } from './send-uploads.js'
export * from './upload-all.js'
export type { UploadResult, UploadSummary } from './upload-result.js'

export {
  type InvalidUpload,
  type PlannedUpload,
  type PlanOptions,
  placeOf,
  planUploads,
  type UnsendableUpload,
  type UploadPlan,
  withBodies,
} from './plan.js'
export {
  appearanceOf,
  type BulkUpload,
  type CheckedUpload,
  createPreparer,
  jsonOf,
  type PrepareOptions,
  type ReadyUpload,
  type UploadItem,
} from './prepare.js'
export type { SkipReason, UploadResult, UploadSummary } from './result.js'
export type { RunOptions } from './run.js'
export { applyUploads, type SkippedUpload, type UploadAllOptions, type UploadRun, uploadAll } from './upload-all.js'

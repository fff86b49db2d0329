export * from './plan.js'
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
export { readyAhead } from './send.js'
export * from './upload-all.js'

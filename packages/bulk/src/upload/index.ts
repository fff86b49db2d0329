export * from './plan.js'
export {
  type BulkUpload,
  createPreparer,
  type PreparedUpload,
  type PrepareOptions,
  type ReadyUpload,
  type UploadDecision,
  type UploadItem,
} from './prepare.js'
export type { UploadResult, UploadSummary } from './result.js'
export type { RunOptions } from './run.js'
export { readyAhead } from './send.js'
export * from './upload-all.js'

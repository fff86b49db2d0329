/**
 * Judge transcripts with an annotator and a policy.
 *
 * @module @svc/checks
 */

export type { AnnotatingClient, Usage } from './ask/index.js'
export { type Baseline, type BaselineEntry, baselineText, readBaseline } from './baseline/index.js'
export { type Cache, type CacheOptions, openCache } from './cache.js'
export {
  type AnnotatedTranscript,
  type CheckInput,
  type CheckOptions,
  type CheckPolicy,
  type CheckResult,
  check,
  judge,
  type Message,
  type ProgramRule,
  type TranscriptInput,
  type UnreadableInput,
} from './check/index.js'
export { CheckError, type CheckErrorCode } from './check-error.js'
export type { Disk } from './disk.js'
export type { Files } from './files.js'
export { type Policy, type PolicyFile, type ReadPolicyOptions, readPolicy, rulesFrom } from './policy/index.js'
export type { OutputForm, RenderOptions } from './renderers/index.js'
export type { CheckReport, ReportCase } from './report/index.js'
export {
  type Checked,
  type CheckedAnnotation,
  type CheckedTranscript,
  type CheckRule,
  type Checks,
  defineChecks,
  type Finding,
  type SignalRules,
} from './rules/index.js'

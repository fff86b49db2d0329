/**
 * Judge transcripts with an annotator and a policy.
 *
 * @module @svc/checks
 */

export type { AnnotatingClient, Usage, Versions } from './ask/index.js'
export { type Baseline, type BaselineEntry, baselineText, type Identity, readBaseline } from './baseline/index.js'
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
  type Shard,
  type TranscriptInput,
  type UnreadableInput,
} from './check/index.js'
export { CheckError, type CheckErrorCode } from './check-error.js'
export { type MergeOptions, mergeReports, type NamedReport } from './compare/index.js'
export type { Disk } from './disk.js'
export type { Files } from './files.js'
export type { AcceptedFinding, BaselineResult } from './judge/index.js'
export {
  type CheckMatchers,
  type MatcherContext,
  type MatcherOptions,
  type MatcherResult,
  matchers,
} from './matchers.js'
export {
  type FoundPolicy,
  type Policy,
  type PolicyFile,
  type ReadPolicyOptions,
  readPolicy,
  rulesFrom,
} from './policy/index.js'
export type { OutputForm, RenderOptions, Style } from './renderers/index.js'
export type { Acceptance, CheckReport, ReportCase } from './report/index.js'
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

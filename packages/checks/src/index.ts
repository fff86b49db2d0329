/**
 * Judge transcripts with an annotator and a policy.
 *
 * @module @svc/checks
 */

export type { Usage, Versions } from './annotation.js'
export {
  type AcceptedFinding,
  type Baseline,
  type BaselineEntry,
  type BaselineResult,
  type BaselineWriter,
  baselineText,
  type Identity,
  isDay,
  type NextBaseline,
  readBaseline,
} from './baseline/index.js'
export { type Cache, type CacheOptions, openCache } from './cache.js'
export {
  type AnnotatedTranscript,
  type AnnotatingClient,
  type Answer,
  type AskedCase,
  type AskOptions,
  type AttemptLimits,
  askPlan,
  type CheckAnswers,
  type CheckInput,
  type CheckOptions,
  type CheckPlan,
  type CheckPolicy,
  type CheckResult,
  type ConcludeOptions,
  check,
  concludeCheck,
  type EndedRun,
  type EstimateOptions,
  endedReport,
  estimatePlan,
  type Failure,
  type Judging,
  judge,
  type Message,
  noAnnotator,
  nothingAsked,
  outageThreshold,
  type PlanEstimate,
  type PlannedBaseline,
  type PlannedCase,
  type PlanOptions,
  type ProgramRule,
  planCheck,
  policyFrom,
  type ReadingClient,
  type RunFacts,
  type SelectionRule,
  type Shard,
  type StoredInput,
  type StoredList,
  type StoredOptions,
  type StoredTranscripts,
  storedTranscripts,
  type TranscriptInput,
  type UnreadableInput,
  untimedNote,
} from './check/index.js'
export { CheckError, type CheckErrorCode } from './check-error.js'
export {
  type Against,
  type CompareOptions,
  compareReports,
  type MergeOptions,
  mergeReports,
  readReport,
} from './compare/index.js'
export type { Disk } from './disk.js'
export { nodeDisk } from './environment.js'
export type { Files } from './files.js'
export type { RunEnd, Tags } from './judge/index.js'
export {
  type Label,
  type LabelSample,
  type NamedLabels,
  readLabels,
  type SampleOptions,
  sampleReport,
} from './labels/index.js'
export {
  type CheckMatchers,
  type MatcherContext,
  type MatcherOptions,
  type MatcherResult,
  matchers,
} from './matchers.js'
export {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  type FilePolicy,
  type FoundPolicy,
  findPolicyFile,
  importerFiles,
  isOnScale,
  looksLikePolicy,
  type Override,
  otherOwner,
  type Policy,
  type PolicyFile,
  type PolicyJson,
  parseShare,
  policyKeys,
  policyNames,
  type Rate,
  type ReadPolicyOptions,
  type Rules,
  readPolicy,
  readPolicyFile,
  rulesFrom,
  unreadPolicies,
  withDefaults,
  withRules,
} from './policy/index.js'
export { type PullOptions, type PullResult, pullTranscripts } from './pull.js'
export {
  type ComparisonForm,
  comparisonForms,
  type OutputForm,
  type RenderOptions,
  type ReportForm,
  render,
  renderComparison,
  renderNotCompared,
  renderPage,
  renderSample,
  reportForms,
  type Style,
  withoutTurns,
} from './renderers/index.js'
export {
  type Acceptance,
  acceptedText,
  type CheckReport,
  type Comparison,
  comparisonFields,
  type FieldsByPath,
  indeterminates,
  type Level,
  money,
  type NamedReport,
  noiseText,
  type ReportCase,
  reportFields,
  scale,
  unmatchedLines,
} from './report/index.js'
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
export type { Unread } from './transcript.js'

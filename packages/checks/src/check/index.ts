export { type AnnotatingClient, type Failure, noAnnotator } from './annotate.js'
export { type AskOptions, askPlan, type CheckAnswers, nothingAsked } from './ask.js'
export type { AttemptLimits } from './attempts.js'
export type { Answer, AskedCase, Judging, PlannedCase } from './case.js'
export { type CheckOptions, check } from './check.js'
export type { CheckResult } from './check-result.js'
export { type ConcludeOptions, concludeCheck, type EndedRun, endedReport, type RunFacts } from './conclude-check.js'
export { type EstimateOptions, estimatePlan, type PlanEstimate } from './estimate.js'
export type { CheckInput, Message, TranscriptInput, UnreadableInput } from './input.js'
export { type AnnotatedTranscript, judge } from './judge-annotated.js'
export { type CheckPlan, type PlannedBaseline, type PlanOptions, planCheck } from './plan.js'
export { type CheckPolicy, type ProgramRule, policyFrom } from './policy-value.js'
export { type SelectionRule, type Shard, selectCases } from './select.js'
export { outageThreshold } from './send-requests.js'
export {
  openStored,
  type ReadingClient,
  type StoredInput,
  type StoredList,
  type StoredOptions,
  type StoredTranscripts,
  storedTranscripts,
  untimedNote,
} from './stored.js'

export {
  type AnnotatingClient,
  type AnnotationBody,
  type Answer,
  annotateWith,
  concernsRun,
  estimatedTokens,
  type Failure,
  MalformedAnnotation,
  stepOf,
  stopsRun,
} from './annotate.js'
export { isAnnotation, type Usage, usageOf } from './annotation-shape.js'
export {
  type Answered,
  type AskOptions,
  askAll,
  outageThreshold,
  type Question,
  resultsOf,
  type Vote,
  voteOf,
} from './ask.js'
export {
  type AttemptLimits,
  type AttemptResult,
  decisiveAttempt,
  isFlaky,
  isUndecided,
  needsAnotherAttempt,
} from './attempts.js'
export {
  areSameVersions,
  type Listing,
  lookUpAnnotator,
  unlistedText,
  type Versions,
  versionsText,
} from './versions.js'

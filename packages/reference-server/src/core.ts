/**
 * The service for tests, as a `fetch`.
 *
 * @module @svc/reference-server/core
 */

export {
  type Ambiguities,
  ambiguityProblem,
  ambiguityValues,
  defaultAmbiguities,
  parseAmbiguities,
  readSaved,
  type SavedService,
  type SeenReading,
  type SeenReadings,
  type ServerAmbiguities,
} from './ambiguities/index.js'
export type {
  Annotator,
  AnnotatorScript,
  Judgement,
  ModelAnnotator,
  PipelineOptions,
  ScriptCondition,
  ScriptedAnswer,
} from './annotators/index.js'
export { patterns, structural } from './annotators/index.js'
export type { KeyRecord, Permission } from './auth.js'
export { type Clock, type SteeredClock, steeredClock, systemClock } from './clock.js'
export { completeSeed, environmentOf, type ServerEnvironment, withoutProxy } from './environment.js'
export {
  type Fault,
  type FaultCondition,
  type FaultRule,
  type FaultState,
  type Faults,
  faultHeader,
  type Latency,
  parseFault,
  type ScriptedStatus,
} from './faults/index.js'
export type { CloseOptions, Fetch, Listening, ListenOptions, TlsCertificate } from './http/index.js'
export { allowedHostProblem, allowedOriginProblem } from './http/index.js'
export {
  type Journal,
  type JournalAnswer,
  type JournalEntry,
  type JournalPart,
  type RequestProblem,
  requestLine,
} from './journal/index.js'
export type { ServerOptions } from './options.js'
export { parseLimits, type Quota, type RateLimits } from './rate-limit.js'
export { Refusal } from './refusal.js'
export { createServer, defaultAnnotators, type ReferenceServer } from './server.js'
export { readSeed, type Seed, type SeedWindow, type Snapshot, type SnapshotOptions } from './snapshot/index.js'
export type {
  AnnotationRequest,
  AnnotationResponse,
  AnnotatorInfo,
  Message,
  Outcome,
  ProcessingStatus,
  Project,
  SignalHit,
  Surface,
  Transcript,
  TranscriptUpload,
  Turn,
} from './types.js'
export {
  type RequestViolation,
  Violations,
  violationDocument,
  violationJUnit,
  violationLine,
  violationSummary,
} from './violations/index.js'
export type {
  Annotations,
  Change,
  ModelAnnotations,
  NewKey,
  NewProject,
  NewTranscript,
  Store,
  StoredProject,
  StoredTranscript,
  World,
} from './world/index.js'
export {
  type IdSource,
  referenceKey,
  referenceWorkspace,
  type SeedProject,
  seededIds,
  type WorldSeed,
} from './world/index.js'

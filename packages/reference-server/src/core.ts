export { allowedHostProblem, allowedOriginProblem } from './allowed-callers.js'
export type { Annotator, Judgement } from './annotator.js'
export { patterns } from './annotator-patterns.js'
export { structural } from './annotator-structural.js'
export { type Clock, type SteeredClock, steeredClock, systemClock } from './clock.js'
export { type Fault, type FaultRule, type Faults, parseFault } from './faults.js'
export type { Fetch } from './fetch-edge.js'
export type { KeyRecord, Permission } from './guard.js'
export { type IdSource, seededIds } from './ids.js'
export type { CloseOptions, Listening, ListenOptions } from './listen.js'
export type { ServerOptions } from './options.js'
export type { ModelAnnotator, PipelineOptions } from './pipeline.js'
export type { Quota, RateLimits } from './rate-limit.js'
export { defaultReadings, type Readings, readingProblem } from './readings.js'
export type {
  Annotations,
  ModelAnnotations,
  NewKey,
  NewProject,
  NewTranscript,
  StoredProject,
  StoredTranscript,
} from './records.js'
export { Refusal } from './refusal.js'
export { faultHeader, type JournalEntry } from './route.js'
export { readSeed, referenceKey, referenceWorkspace, type Seed, type SeedProject } from './seed.js'
export { createServer, defaultAnnotators, type ReferenceServer } from './server.js'
export type { Change, Store } from './store.js'
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
export type { World } from './world.js'

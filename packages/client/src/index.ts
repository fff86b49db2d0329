export type { Answer, Answered } from './answered.js'
export { checkAnnotation, checkProject, checkUpload, type InputReport } from './check-input.js'
export { createClient, type SvcClient } from './client.js'
export { type Clock, systemClock } from './clock.js'
export { isServiceError } from './declared-errors.js'
export type { Environment } from './environment.js'
export {
  AmbiguousWriteError,
  type Attempt,
  ConnectionError,
  type ErrorKind,
  type FieldError,
  type Fingerprint,
  InputError,
  type InputReason,
  type Phase,
  ServiceError,
  SvcError,
  type Violation,
} from './errors.js'
export type { ClientEvent, Logger } from './events.js'
export { errorKindOf } from './failure.js'
export { limits, roles } from './limits.js'
export type { Match, Stored } from './match.js'
export type { Surface } from './operation.js'
export type { ApiKey, CallDefaults, CallOptions, ClientOptions } from './options.js'
export { everyItem, type Page } from './page.js'
export type { RetryPolicy } from './retry.js'
export {
  type FoundWrite,
  type LostWrite,
  type SearchedList,
  type SearchOptions,
  searchWrites,
} from './search.js'
export { type ShownStamp, type Stamp, stampOf, stampUpload } from './stamp.js'
export type { Fetch, Transport } from './transport.js'
export type { RateLimit } from './turnstile.js'
export type {
  AllQuery,
  Annotation,
  AnnotationRequest,
  AnnotationSummary,
  AnnotatorInfo,
  Health,
  Open,
  OperationId,
  Outcome,
  PageQuery,
  Pagination,
  ProcessingStatus,
  Project,
  ProjectCreate,
  ProjectDetail,
  Role,
  ServiceErrorOf,
  SignalHit,
  Substrate,
  ToolCall,
  ToolResult,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptMessage,
  TranscriptRow,
  TranscriptUpload,
  Turn,
  TurnUpload,
  Unlisted,
  UsageInfo,
  WrittenUpload,
} from './types.js'
export type { AnnotationWire, Wires, WorkspaceWire } from './wires.js'

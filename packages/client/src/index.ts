/**
 * A typed client of the service.
 *
 * @module @svc/client
 */

export type { SvcClient } from './client.js'
export { type Clock, fullClock, sleep, systemClock } from './clock.js'
export { createClient } from './create-client.js'
export type { Environment } from './environment.js'
export {
  AmbiguousWriteError,
  type Attempt,
  ConnectionError,
  type ErrorKind,
  errorKindOf,
  type FieldError,
  type Fingerprint,
  type Incomplete,
  InputError,
  type InputReason,
  mayRefuseStamp,
  misconfigurationOf,
  type Phase,
  ServiceError,
  SvcError,
  type Violation,
  type ViolationCode,
} from './errors/index.js'
export type { ClientEvent, Logger, LogLevel } from './events.js'
export { createFailureClassifier, type FailureClassifier, type ItemFailure } from './failures.js'
export type { HeaderChange, HookContext, Hooks } from './hooks.js'
export { type CallResult, jsonValueOf, type ResponsePromise } from './http/index.js'
export { type NextStep, nextStep } from './next-step.js'
export type { Surface } from './operation.js'
export {
  type ApiKey,
  type CallDefaults,
  type CallOptions,
  type ClientOptions,
  optionsOf,
  type UploadOptions,
} from './options.js'
export {
  type EveryItemOptions,
  everyItem,
  type Items,
  type ListBody,
  type ListEnd,
  type OpenPage,
  type Page,
  type PageBody,
  type PagePromise,
} from './pagination/index.js'
export type { RateLimit } from './rate-limit/index.js'
export {
  type FoundWrite,
  type LostWrite,
  type Match,
  mayBeShownAs,
  type SearchedList,
  type SearchOptions,
  type ShownStamp,
  type Stamp,
  type Stored,
  searchWrites,
  stampOf,
  stampUpload,
} from './reconciliation/index.js'
export {
  type AnnotationMethods,
  type AnnotationSurface,
  type AnnotatorMethods,
  type BatchMethods,
  isKeyRefusal,
  isServiceError,
  type LegacyMethods,
  type ManyOptions,
  type ManyResult,
  mapConcurrent,
  type ProjectMethods,
  type RequestContent,
  type RequestOptions,
  type TranscriptMethods,
} from './resources/index.js'
export type { RetryPolicy } from './retry/index.js'
export { createShutdown, type Shutdown, type ShutdownOptions, type WatchCalls, type Watched } from './shutdown.js'
export type { Fetch, FetchInit, FetchLike, FetchResponse, Transport } from './transport.js'
export type * from './types.js'
export { checkAnnotation, checkProject, checkUpload, type InputReport, limits, roles } from './validation.js'

/** Schemas of the client's types, each with the type of its name. Needs zod 4, which the client itself does not. */
export {
  Annotation,
  AnnotationRequest,
  AnnotationSummary,
  AnnotatorInfo,
  Health,
  Outcome,
  SignalHit,
  TranscriptMessage,
  UsageInfo,
} from './zod-annotation.js'
export { PageQuery, Pagination, Project, ProjectCreate, ProjectDetail, ProjectPage } from './zod-project.js'
export {
  AuthenticationError,
  AuthorizationError,
  ErrorResponse,
  HTTPValidationError,
  InvalidRequestError,
  NotFoundError,
  ValidationError,
} from './zod-refusals.js'
export {
  ProcessingStatus,
  Role,
  ToolCall,
  ToolResult,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptPage,
  TranscriptRow,
  TranscriptUpload,
  Turn,
  TurnUpload,
} from './zod-transcript.js'

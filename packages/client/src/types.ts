import type { ServiceError } from './errors/index.js'
import type { JsonOf, Operations } from './operation.js'

// The shapes are those of the spec, written out so that an editor shows each field with its documentation where the name is
// defined. A test holds them equal to the generated types.

/**
 * A message to annotate, of any `role` (interface: Resources › TranscriptMessage). It has no field for tools: write calls and
 * results into `content`, as `toAnnotationMessages` of `@svc/transcripts` does. The turns of an upload that have them are refused.
 */
export interface TranscriptMessage {
  /** The speaker, in any words; no enumeration is given. */
  role: string
  /** The text of the message. */
  content: string
  /** The user has seen the message. Default true. */
  is_user_visible?: boolean | undefined
}

/** The body of `annotations.create`, without documented size bounds (interface: Resources › AnnotationRequest). */
export interface AnnotationRequest {
  /** Id of an annotator of the registry. */
  annotator: string
  /** The messages in their order; a signal's `turn` is a 1-indexed position. */
  transcript: readonly TranscriptMessage[]
  /** Settings of this request, as an object; their names and values are not shown. */
  options?: object | undefined
}

declare const unlisted: unique symbol
/** An enum value that the interface does not list, from a later version of the service. */
export type Unlisted = string & { readonly [unlisted]: true }
/** An open enum. A `switch` over it stays exhaustive: `Unlisted` is left once every listed value has its case. */
export type Open<Word extends string> = Word | Unlisted

/** The answer of `annotations.create` (interface: Resources › AnnotationResponse). */
export interface Annotation {
  /** Id of the annotator. */
  annotator: string
  /** Version of the annotator. */
  annotator_version: string
  /** Version of its taxonomy. */
  taxonomy_version: string
  /** The quality of the conversation. */
  outcome: Open<Outcome>
  /** Notes about the outcome. */
  outcome_notes: string
  /** One entry for each quality signal that fired, by its key. The set of keys is not shown. */
  signals: { [key: string]: SignalHit | undefined }
  /** The summary of the conversation. */
  summary: AnnotationSummary
  /** Tokens and latency of the annotation. */
  usage: UsageInfo
}

/** The structured summary of an annotation (interface: Resources › AnnotationSummary). */
export interface AnnotationSummary {
  /** A title of the conversation. */
  title: string
  /** Its content in short. */
  summary: string
  /** Its keywords. */
  keywords: string[]
  /** Its domain. */
  domain: string
  /** The intent of the user. */
  user_intent: string
  /** Concerns about its quality. */
  quality_concerns: string
}

/** The listed outcomes of an annotation; `indeterminate` is no grade (interface: Resources › AnnotationResponse). */
export type Outcome = 'strong' | 'mixed' | 'poor' | 'critical' | 'indeterminate'

/** A quality signal that fired (interface: Resources › SignalHit). */
export interface SignalHit {
  /** The reason why the signal fired. */
  evidence: string
  /** 1-indexed turn of the transcript; null or missing if it belongs to no turn. */
  turn?: number | null
}

/** The cost of an annotation (interface: Resources › UsageInfo). */
export interface UsageInfo {
  /** The number of tokens in. */
  tokens_in: number
  /** The number of tokens out. */
  tokens_out: number
  /** Duration in milliseconds. */
  latency_ms: number
}

/** An annotator of the registry, with its versions (interface: Resources › AnnotatorInfo). */
export interface AnnotatorInfo {
  /** The id that `annotator` of a request names. */
  id: string
  /** Version of the annotator. */
  annotator_version: string
  /** Version of its taxonomy. */
  taxonomy_version: string
  /** A description of the annotator. */
  description: string
}

/** The listed compute substrates (interface: Resources › HealthResponse). */
export type Substrate = 'fargate' | 'lambda'

/** The answer of `health` (interface: Resources › HealthResponse). */
export interface Health {
  /** The state of the service; its values are not shown. */
  status: string
  /** The serving substrate. */
  substrate: Open<Substrate>
}

/** A container of transcripts in one workspace (interface: Resources › Project). */
export interface Project {
  /** Has the form `hp-<uuid>`. */
  id: string
  /** 1 to 500 characters. */
  name: string
  /** The number of transcripts; 0 right after creation. */
  transcript_count: number
  /** Time of the most recent transcript upload, ISO 8601; null until one exists. */
  latest_transcript_at: string | null
  /** Time of creation, ISO 8601. */
  created_at: string
  /** Time of the last change, ISO 8601. */
  updated_at: string
}

/** A project, plus an executive summary under an undocumented name (interface: Endpoints › GET /projects/{projectId}). */
export interface ProjectDetail extends Project {
  [field: string]: unknown
}

/** The body of `projects.create` (interface: Endpoints › POST /projects). */
export interface ProjectCreate {
  /** 1 to 500 characters. */
  name: string
  /** Domain pack that locks the analysis taxonomy. Default `general`. */
  domain?: 'general' | 'ai_coding' | undefined
}

/** The speaker of a turn (interface: Resources › Turn). */
export type Role = 'user' | 'assistant' | 'system' | 'tool' | 'human_agent'

/** A stored turn (interface: Resources › Turn). */
export interface Turn {
  /** The speaker. */
  role: Role
  /** The text of the turn. */
  content: string
  /** Tool calls of an assistant turn. */
  toolCalls?: ToolCall[]
  /** Tool responses. */
  toolResults?: ToolResult[]
  /** Any fields about the turn. */
  metadata?: { [field: string]: unknown }
  /** Time of the turn, ISO 8601. */
  createdAt?: string
}

/** A turn of an upload (interface: Resources › Turn). */
export interface TurnUpload {
  /** The speaker: a `Role`. Any other text is refused before it is sent. */
  role: Role | (string & Record<never, never>)
  /** The text of the turn, at most 1 MB, read as 2^20 bytes of UTF-8. */
  content: string
  /** Tool calls of an assistant turn. */
  toolCalls?: readonly ToolCall[] | undefined
  /** Tool responses. */
  toolResults?: readonly ToolResult[] | undefined
  /** Any fields about the turn. */
  metadata?: object | undefined
  /** Time of the turn: ISO 8601; a `Date` is converted. */
  createdAt?: string | Date | undefined
}

/** A call of a tool by the assistant (interface: Resources › Turn). */
export interface ToolCall {
  /** The name of the tool. */
  name: string
  /** The arguments of the call; any JSON value. */
  args: unknown
}

/** The response of a tool (interface: Resources › Turn). */
export interface ToolResult {
  /** The name of the tool. */
  name: string
  /** The response; any JSON value. */
  result: unknown
}

/**
 * The body of `transcripts.upload`, at most about 5 MB of JSON
 * (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export interface TranscriptUpload {
  /** 1 to 500 characters. */
  name: string
  /** 1 to 1 000 turns, in their order. */
  turns: readonly TurnUpload[]
  /** Name of the model that wrote the assistant turns; at most 100 characters. */
  modelName?: string | undefined
  /** Language code; at most 10 characters. */
  language?: string | undefined
  /** The system that the transcript comes from; at most 100 characters. */
  sourceSystem?: string | undefined
  /** Time of the conversation: ISO 8601; a `Date` is converted. */
  sourceTimestamp?: string | Date | undefined
  /** Your id of the transcript, which need not be unique; at most 500 characters. */
  externalId?: string | undefined
  /** Your id of the user; at most 500 characters. */
  externalUserId?: string | undefined
  /** Any fields, stored with the transcript. */
  metadata?: object | undefined
  /** False uploads without analysis. Default true. */
  process?: boolean | undefined
}

/** The answer of `transcripts.upload` (interface: Resources › Transcript). */
export interface Transcript {
  /** Begins with `tr_`. */
  id: string
  /** The uploaded `name`. */
  name: string
  /** The uploaded `modelName`; null if there was none. */
  model_name: string | null
  /** The uploaded `language`; null if there was none. */
  language: string | null
  /** The uploaded `sourceSystem`; null if there was none. */
  source_system: string | null
  /** The uploaded `sourceTimestamp`, ISO 8601; null if there was none. */
  source_timestamp: string | null
  /** The uploaded `externalId`; null if there was none. */
  external_id: string | null
  /** The uploaded `externalUserId`; null if there was none. */
  external_user_id: string | null
  /** The uploaded `metadata`, with the stamp of the client; empty if there was none. */
  metadata: { [field: string]: unknown }
  /** The number of turns. */
  turn_count: number
  /** The number of turns with the role `user`. */
  user_turn_count: number
  /** The number of turns with the role `assistant`. */
  assistant_turn_count: number
  /** The number of tokens; how they are counted is not shown. */
  total_token_count: number
  /** Time of the upload, ISO 8601. */
  created_at: string
  /** The state after the upload. */
  processing_status: Open<ProcessingStatus>
}

/**
 * The listed states of a transcript after its upload: `queued` for analysis; `skipped`, because `process` was false; `error`,
 * stored, but the analysis could not be started (interface: States and transitions).
 */
export type ProcessingStatus = 'queued' | 'skipped' | 'error'

/** The place of a page in its list (interface: Resources › Surface B: records). */
export interface Pagination {
  /** 1-indexed number of this page. */
  page: number
  /** Page size. */
  limit: number
  /** The number of items in the whole list. */
  total: number
}

/**
 * A row of the transcript list. The interface does not show its fields: those of a `Transcript` and any others may be
 * present (interface: Endpoints › GET /projects/{projectId}/transcripts).
 */
export interface TranscriptRow extends Partial<Omit<Transcript, 'id'>> {
  /** Identifier of the transcript; begins with `tr_`. */
  id: string
  [field: string]: unknown
}

/**
 * A transcript with its turns and annotations. The interface does not show its fields: those of a `Transcript` and any
 * others may be present (interface: Endpoints › GET /transcripts/{transcriptId}).
 */
export interface TranscriptDetail extends TranscriptRow {
  /** All of its turns. */
  turns?: Turn[]
  /** All of its annotations, of undocumented shape. */
  annotations?: unknown
}

/** One page of a list, by number (interface: Endpoints › GET /projects). */
export interface PageQuery {
  /** 1-indexed. Default 1. */
  page?: number | undefined
  /** Items of the page, 1 to 100. Default 20. */
  limit?: number | undefined
}

/** Options of `all()`. */
export interface AllQuery {
  /** Page size, capped at 100. Default 100. */
  limit?: number | undefined
  /** Stop after this many items. Default: the whole list. */
  maxItems?: number | undefined
}

/** Filters of the transcript list (interface: Endpoints › GET /projects/{projectId}/transcripts). */
export interface TranscriptFilters {
  /** Full-text search across transcript content. */
  q?: string | undefined
  /** Model name. */
  model_name?: string | undefined
  /** Language code. */
  language?: string | undefined
  /** Source system. */
  source_system?: string | undefined
  /** Annotation: its key and value, or both as `key:value`. A key must not contain a colon. */
  annotation?: string | { key: string; value: string } | undefined
  /** Inclusive lower bound on `source_timestamp`: ISO 8601; a `Date` is converted. */
  date_from?: string | Date | undefined
  /** Inclusive upper bound on `source_timestamp`: ISO 8601; a `Date` is converted. */
  date_to?: string | Date | undefined
}

/** The methods by name, as in `transcripts.upload`; the spec's operationIds. */
export type OperationId = keyof Operations

type Responses<Id extends OperationId> = Operations[Id]['responses']
/** The declared errors of an operation: a union over its statuses, each with its body (interface: Errors). */
export type ServiceErrorOf<Id extends OperationId> = {
  [Status in Exclude<keyof Responses<Id>, 200 | 201>]: ServiceError & {
    readonly status: Status
    readonly body: JsonOf<Responses<Id>[Status]>
  }
}[Exclude<keyof Responses<Id>, 200 | 201>]

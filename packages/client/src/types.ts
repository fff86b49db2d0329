import type { ServiceError } from './errors/index.js'
import type { components as AnnotationComponents } from './generated/annotation.js'
import type { components as WorkspaceComponents } from './generated/workspace.js'
import type { JsonOf, Operations } from './operation.js'

type A = AnnotationComponents['schemas']
type B = WorkspaceComponents['schemas']

/** A record of the spec, for an interface to extend: editors show the name of an interface, but the fields of a type. */
type Named<T> = { [K in keyof T]: T[K] }
/** A request body whose optional fields may be undefined. */
type Given<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] }

/** A message to annotate, of any `role`; `is_user_visible` defaults to true (interface: Resources › TranscriptMessage). */
export interface TranscriptMessage extends Given<A['TranscriptMessage']> {}
/** The body of `annotations.create`, without documented size bounds (interface: Resources › AnnotationRequest). */
export interface AnnotationRequest extends Omit<Given<A['AnnotationRequest']>, 'transcript' | 'options'> {
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

/** The answer of `annotations.create`; `signals` has one entry per fired signal (interface: Resources › AnnotationResponse). */
export interface Annotation extends Omit<A['AnnotationResponse'], 'outcome' | 'signals' | 'summary' | 'usage'> {
  /** The quality of the conversation. */
  outcome: Open<Outcome>
  /** One entry for each quality signal that fired, by its key. The set of keys is not shown. */
  signals: { [key: string]: SignalHit | undefined }
  /** The summary of the conversation. */
  summary: AnnotationSummary
  /** Tokens and latency of the annotation. */
  usage: UsageInfo
}
/** The structured summary of an annotation (interface: Resources › AnnotationSummary). */
export interface AnnotationSummary extends Named<A['AnnotationSummary']> {}
/** The listed outcomes of an annotation (interface: Resources › AnnotationResponse). */
export type Outcome = A['Outcome']
/** The evidence of a fired quality signal and its 1-indexed turn (interface: Resources › SignalHit). */
export interface SignalHit extends Named<A['SignalHit']> {}
/** Tokens in and out of an annotation, and its latency in milliseconds (interface: Resources › UsageInfo). */
export interface UsageInfo extends Named<A['UsageInfo']> {}
/** An annotator of the registry, with its versions (interface: Resources › AnnotatorInfo). */
export interface AnnotatorInfo extends Named<A['AnnotatorInfo']> {}
/** The listed compute substrates (interface: Resources › HealthResponse). */
export type Substrate = A['HealthResponse']['substrate']
/** The answer of `health` (interface: Resources › HealthResponse). */
export interface Health extends Omit<A['HealthResponse'], 'substrate'> {
  /** The serving substrate. */
  substrate: Open<Substrate>
}

/** A container of transcripts in one workspace; times are ISO 8601 (interface: Resources › Project). */
export interface Project extends Named<B['Project']> {}
/** A project, plus an executive summary under an undocumented name (interface: Endpoints › GET /projects/{projectId}). */
export interface ProjectDetail extends Named<B['ProjectDetail']> {}
/** The body of `projects.create`: `name` has 1 to 500 characters (interface: Endpoints › POST /projects). */
export interface ProjectCreate extends Given<B['ProjectCreate']> {}
/** A stored turn (interface: Resources › Turn). */
export interface Turn extends Omit<B['Turn'], 'toolCalls' | 'toolResults'> {
  /** Tool calls of an assistant turn. */
  toolCalls?: ToolCall[]
  /** Tool responses. */
  toolResults?: ToolResult[]
}
/** A turn of an upload: `content` is at most 1 MB, read as 2^20 bytes of UTF-8 (interface: Resources › Turn). */
export interface TurnUpload
  extends Omit<Given<B['Turn']>, 'role' | 'toolCalls' | 'toolResults' | 'metadata' | 'createdAt'> {
  /** The speaker: a `Role`. Any other text is refused before it is sent. */
  role: Role | (string & Record<never, never>)
  /** Tool calls of an assistant turn. */
  toolCalls?: readonly ToolCall[] | undefined
  /** Tool responses. */
  toolResults?: readonly ToolResult[] | undefined
  /** Any fields about the turn. */
  metadata?: object | undefined
  /** ISO 8601; a `Date` is converted. */
  createdAt?: string | Date | undefined
}
/** The speaker of a turn (interface: Resources › Turn). */
export type Role = Turn['role']
/** A tool call of an assistant turn; `args` may be any JSON value (interface: Resources › Turn). */
export interface ToolCall extends Named<B['ToolCall']> {}
/** A tool's response; `result` may be any JSON value (interface: Resources › Turn). */
export interface ToolResult extends Named<B['ToolResult']> {}
/**
 * The body of `transcripts.upload`, at most about 5 MB of JSON. In characters: `name` 1 to 500, `modelName` and
 * `sourceSystem` at most 100, `language` 10, `externalId` and `externalUserId` 500. `process` is true by default; false
 * uploads without analysis (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export interface TranscriptUpload extends Omit<Given<B['TranscriptUpload']>, 'turns' | 'metadata' | 'sourceTimestamp'> {
  /** 1 to 1 000 turns, in their order. */
  turns: readonly TurnUpload[]
  /** Any fields, stored with the transcript. */
  metadata?: object | undefined
  /** Time of the conversation: ISO 8601; a `Date` is converted. */
  sourceTimestamp?: string | Date | undefined
}
/** The answer of `transcripts.upload`; times are ISO 8601 (interface: Resources › Transcript). */
export interface Transcript extends Omit<B['Transcript'], 'processing_status'> {
  /** The state after the upload. */
  processing_status: Open<ProcessingStatus>
}
/** The listed states of a transcript after its upload (interface: States and transitions). */
export type ProcessingStatus = B['ProcessingStatus']
/** The 1-indexed `page`, its size `limit`, and the `total` items (interface: Resources › Surface B: records). */
export interface Pagination extends Named<B['Pagination']> {}

/** The interface does not show these records: the fields of Transcript and others may be present. */
interface OpenTranscript extends Partial<Omit<Transcript, 'id'>> {
  /** Identifier of the transcript; begins with `tr_`. */
  id: string
  [field: string]: unknown
}
/** A row of the transcript list (interface: Endpoints › GET /projects/{projectId}/transcripts). */
export interface TranscriptRow extends OpenTranscript {}
/** A transcript with its turns and annotations (interface: Endpoints › GET /transcripts/{transcriptId}). */
export interface TranscriptDetail extends OpenTranscript {
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

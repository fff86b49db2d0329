import type { ServiceError } from './errors/index.js'
import type { components as AnnotationComponents, operations as AnnotationOperations } from './generated/annotation.js'
import type { components as WorkspaceComponents, operations as WorkspaceOperations } from './generated/workspace.js'

type A = AnnotationComponents['schemas']
type B = WorkspaceComponents['schemas']

/** A request body as a caller may have it: optional fields may be undefined, which sends nothing. */
type Given<T> = {
  [K in keyof T as Optional<T, K> extends true ? never : K]: T[K]
} & { [K in keyof T as Optional<T, K> extends true ? K : never]?: T[K] | undefined }
type Optional<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? true : false

/**
 * One message of the transcript of an annotation request: any `role`; `is_user_visible` is true by default
 * (interface: Resources › TranscriptMessage).
 */
export type TranscriptMessage = Given<A['TranscriptMessage']>
/**
 * The body of `annotations.create`; it has no size bounds that are shown (interface: Resources › AnnotationRequest).
 */
export type AnnotationRequest = Omit<Given<A['AnnotationRequest']>, 'transcript'> & {
  /** The messages in their order; a signal's `turn` counts them from 1. */
  transcript: readonly TranscriptMessage[]
}
declare const unlisted: unique symbol
/** A word that the interface does not list: a later version of the service may. */
export type Unlisted = string & { readonly [unlisted]: true }
/**
 * A word that the interface lists, or one that it will. A `switch` over it stays exhaustive: when every listed word has
 * its case, `Unlisted` is what is left, and only then.
 */
export type Open<Word extends string> = Word | Unlisted
/** A record whose field `Key` is an open enum. */
type Opened<T, Key extends keyof T> = { [K in keyof T]: K extends Key ? Open<T[K] & string> : T[K] }

/**
 * The answer of `annotations.create`, with an entry of `signals` for each that fired
 * (interface: Resources › AnnotationResponse).
 */
export type Annotation = Opened<A['AnnotationResponse'], 'outcome'>
/** The structured summary of an annotation (interface: Resources › AnnotationSummary). */
export type AnnotationSummary = A['AnnotationSummary']
/** The listed outcomes of an annotation (interface: Resources › AnnotationResponse). */
export type Outcome = A['Outcome']
/**
 * The evidence of one fired quality signal, and its 1-indexed turn of the transcript
 * (interface: Resources › SignalHit).
 */
export type SignalHit = A['SignalHit']
/** What an annotation took: tokens in and out, and `latency_ms` in milliseconds (interface: Resources › UsageInfo). */
export type UsageInfo = A['UsageInfo']
/** An annotator of the registry, with its versions (interface: Resources › AnnotatorInfo). */
export type AnnotatorInfo = A['AnnotatorInfo']
/** The listed compute substrates (interface: Resources › HealthResponse). */
export type Substrate = A['HealthResponse']['substrate']
/** The answer of `health` (interface: Resources › HealthResponse). */
export type Health = Opened<A['HealthResponse'], 'substrate'>

/** A container of transcripts, scoped to one workspace; times are ISO 8601 (interface: Resources › Project). */
export type Project = B['Project']
/**
 * A project, plus the executive summary of its latest completed report under a name that the interface does not show
 * (interface: Endpoints › GET /projects/{projectId}).
 */
export type ProjectDetail = B['ProjectDetail']
/**
 * The body of `projects.create`: a `name` of 1 to 500 characters; `domain` is `general` by default
 * (interface: Endpoints › POST /projects).
 */
export type ProjectCreate = Given<B['ProjectCreate']>
/** A turn as it is read; the interface shows those of an upload (interface: Resources › Turn). */
export type Turn = B['Turn']
/** A turn of an upload: `content` is at most 1 MB, 2^20 bytes of UTF-8 (interface: Resources › Turn). */
export type TurnUpload = Omit<Given<Turn>, 'createdAt'> & {
  /** ISO 8601, as which a `Date` is sent. */
  createdAt?: string | Date | undefined
}
/** Who speaks in a turn (interface: Resources › Turn). */
export type Role = Turn['role']
/** A tool call of an assistant turn; `args` may be any JSON value (interface: Resources › Turn). */
export type ToolCall = B['ToolCall']
/** A tool's response; `result` may be any JSON value (interface: Resources › Turn). */
export type ToolResult = B['ToolResult']
/**
 * The body of `transcripts.upload`, at most about 5 MB of JSON. In characters: `name` 1 to 500, `modelName` and
 * `sourceSystem` at most 100, `language` 10, `externalId` and `externalUserId` 500. `process` is true by default; false
 * uploads without analysis (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export type TranscriptUpload = Omit<Given<B['TranscriptUpload']>, 'turns' | 'sourceTimestamp'> & {
  /** 1 to 1 000 turns, in their order. */
  turns: readonly TurnUpload[]
  /** Time of the conversation: ISO 8601, as which a `Date` is sent. */
  sourceTimestamp?: string | Date | undefined
}
/** An upload that is JSON already: it is sent as it stands, with no stamp but its own (`stampUpload`). */
export interface WrittenUpload {
  /** A `TranscriptUpload` as JSON. */
  json: string
}
/** The stored transcript, as the upload answers it; times are ISO 8601 (interface: Resources › Transcript). */
export type Transcript = Opened<B['Transcript'], 'processing_status'>
/**
 * The listed states of a transcript right after its upload; those that follow are not shown
 * (interface: States and transitions).
 */
export type ProcessingStatus = B['ProcessingStatus']
/**
 * Where in a list a page stands: `page` is 1-indexed, `limit` its size, `total` the items of the list
 * (interface: Resources › Surface B: records).
 */
export type Pagination = B['Pagination']

/** A record whose fields the interface does not show: those that an upload answers may be there, and others may too. */
type OpenTranscript = {
  /** Identifier of the transcript; begins with `tr_`. */
  id: string
} & Partial<Omit<Transcript, 'id'>> & { [field: string]: unknown }
/**
 * A row of the transcript list, whose fields the interface does not show: those of Transcript may be there, and others
 * (interface: Endpoints › GET /projects/{projectId}/transcripts).
 */
export type TranscriptRow = OpenTranscript
/**
 * A transcript with all its `turns` and `annotations`, whose field list the interface does not show: those of
 * Transcript may be there, and others (interface: Endpoints › GET /transcripts/{transcriptId}).
 */
export type TranscriptDetail = OpenTranscript & {
  /** All of its turns. */
  turns?: Turn[]
  /** All of its annotations; their shape is not shown in the interface. */
  annotations?: unknown
}

/** One page of a list, by number (interface: Endpoints › GET /projects). */
export interface PageQuery {
  /** 1-indexed. Default 1. */
  page?: number | undefined
  /** Items of the page, 1 to 100. Default 20. */
  limit?: number | undefined
}

/** How `all()` walks a list. */
export interface AllQuery {
  /** Items of each page that is asked for, 1 to 100; more is taken for 100. Default 100. */
  limit?: number | undefined
  /** The most items that are given. Default: the whole list. */
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
  /** Annotation, formatted `key:value`. */
  annotation?: string | undefined
  /** Inclusive lower bound on `source_timestamp`: ISO 8601, as which a `Date` is sent. */
  date_from?: string | Date | undefined
  /** Inclusive upper bound on `source_timestamp`: ISO 8601, as which a `Date` is sent. */
  date_to?: string | Date | undefined
}

type Operations = AnnotationOperations & WorkspaceOperations
/** The verbs by name, as in `transcripts.upload`; the spec's operationIds. */
export type OperationId = keyof Operations
type Responses<Id extends OperationId> = Operations[Id]['responses']
type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

/** The success body of an operation; unknown where the spec has none. */
export type SuccessOf<Id extends OperationId> =
  Responses<Id> extends Record<200, infer Response>
    ? JsonOf<Response>
    : Responses<Id> extends Record<201, infer Response>
      ? JsonOf<Response>
      : unknown

type Parameters<Id extends OperationId> = Operations[Id]['parameters']
/** The parameters and the body of an operation; times of a query may be a `Date`. */
export type InputOf<Id extends OperationId> = {
  query?: { [K in keyof Query<Id>]: Query<Id>[K] | Date | undefined }
  body?: unknown
  /** The body as JSON, where the caller has it already. */
  json?: string | undefined
} & (Parameters<Id> extends { path: infer Path extends Record<string, unknown> } ? { path: Path } : { path?: never })
type Query<Id extends OperationId> = NonNullable<Parameters<Id>['query']>

/** A refusal that an operation declares: a union over its statuses, each with its body (interface: Errors). */
export type ServiceErrorOf<Id extends OperationId> = {
  [Status in Exclude<keyof Responses<Id>, 200 | 201>]: ServiceError & {
    readonly status: Status
    readonly body: JsonOf<Responses<Id>[Status]>
  }
}[Exclude<keyof Responses<Id>, 200 | 201>]

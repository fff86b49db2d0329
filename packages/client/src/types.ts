import type { ServiceError } from './errors.js'
import type { components as AnnotationComponents, operations as AnnotationOperations } from './generated/annotation.js'
import type { components as WorkspaceComponents, operations as WorkspaceOperations } from './generated/workspace.js'

type A = AnnotationComponents['schemas']
type B = WorkspaceComponents['schemas']

/** A request body as a caller may have it: optional fields may be undefined, which sends nothing. */
type Given<T> = {
  [K in keyof T as Optional<T, K> extends true ? never : K]: T[K]
} & { [K in keyof T as Optional<T, K> extends true ? K : never]?: T[K] | undefined }
type Optional<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? true : false

export type TranscriptMessage = Given<A['TranscriptMessage']>
/** The body of `annotations.create`. */
export type AnnotationRequest = Omit<Given<A['AnnotationRequest']>, 'transcript'> & {
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

/** The answer of `annotations.create`: AnnotationResponse in the interface. */
export type Annotation = Opened<A['AnnotationResponse'], 'outcome'>
export type AnnotationSummary = A['AnnotationSummary']
/** The listed outcomes of an annotation. */
export type Outcome = A['Outcome']
/** The evidence of one fired quality signal, and its 1-indexed turn of the transcript. */
export type SignalHit = A['SignalHit']
export type UsageInfo = A['UsageInfo']
export type AnnotatorInfo = A['AnnotatorInfo']
/** The listed compute substrates. */
export type Substrate = A['HealthResponse']['substrate']
/** The answer of `health`: HealthResponse in the interface. */
export type Health = Opened<A['HealthResponse'], 'substrate'>

export type Project = B['Project']
/** A project, plus the executive summary of its latest completed report under a name that the interface does not show. */
export type ProjectDetail = B['ProjectDetail']
export type ProjectCreate = Given<B['ProjectCreate']>
export type Turn = B['Turn']
/** A turn of an upload. A `Date` is sent as ISO 8601. */
export type TurnUpload = Omit<Given<Turn>, 'createdAt'> & { createdAt?: string | Date | undefined }
export type Role = Turn['role']
export type ToolCall = B['ToolCall']
export type ToolResult = B['ToolResult']
/** The body of an upload. A `Date` is sent as ISO 8601. */
export type TranscriptUpload = Omit<Given<B['TranscriptUpload']>, 'turns' | 'sourceTimestamp'> & {
  turns: readonly TurnUpload[]
  sourceTimestamp?: string | Date | undefined
}
/** The stored transcript, as the upload answers it. */
export type Transcript = Opened<B['Transcript'], 'processing_status'>
/** The listed states of a transcript right after its upload; those that follow are not shown. */
export type ProcessingStatus = B['ProcessingStatus']
export type Pagination = B['Pagination']

/** A record whose fields the interface does not show: those that an upload answers may be there, and others may too. */
type OpenTranscript = { id: string } & Partial<Omit<Transcript, 'id'>> & { [field: string]: unknown }
/** A row of the transcript list. */
export type TranscriptRow = OpenTranscript
/** A transcript with all its turns and annotations. */
export type TranscriptDetail = OpenTranscript & { turns?: Turn[]; annotations?: unknown }

/** One page of a list, by number. */
export interface PageQuery {
  /** 1-indexed. Default 1. */
  page?: number | undefined
  /** Page size, at most 100. Default 20; `all()` asks 100. */
  limit?: number | undefined
}

/** How every item of a list is walked. */
export interface AllQuery {
  /** Page size that is asked for, at most 100. Default 100. */
  limit?: number | undefined
  /** End after so many items. Default: the whole list. */
  maxItems?: number | undefined
}

/** Filters of the transcript list. */
export interface TranscriptFilters {
  /** Full-text search across transcript content. */
  q?: string | undefined
  model_name?: string | undefined
  language?: string | undefined
  source_system?: string | undefined
  /** Formatted `key:value`. */
  annotation?: string | undefined
  /** Inclusive lower bound on `source_timestamp`. */
  date_from?: string | Date | undefined
  /** Inclusive upper bound on `source_timestamp`. */
  date_to?: string | Date | undefined
}

type Operations = AnnotationOperations & WorkspaceOperations
/** The verbs by name, as in `transcripts.upload`; the spec's operationIds. */
export type OperationId = keyof Operations
type Responses<Id extends OperationId> = Operations[Id]['responses']
type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

/** A refusal that an operation declares: a union over its statuses, each with its body. */
export type ServiceErrorOf<Id extends OperationId> = {
  [Status in Exclude<keyof Responses<Id>, 200 | 201>]: ServiceError & {
    readonly status: Status
    readonly body: JsonOf<Responses<Id>[Status]>
  }
}[Exclude<keyof Responses<Id>, 200 | 201>]

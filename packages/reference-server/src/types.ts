import type { components as Annotation } from './generated/annotation.js'
import type { components as Workspace } from './generated/workspace.js'

type A = Annotation['schemas']
type B = Workspace['schemas']

/** The two surfaces: `annotation` is A (base URL), `workspace` is B (public base URL). */
export type Surface = 'annotation' | 'workspace'

/**
 * The body of `POST /v1/annotations`; `options` are handed to the annotator as they came
 * (interface: Resources › AnnotationRequest).
 */
export type AnnotationRequest = A['AnnotationRequest']
/**
 * The 200 of `POST /v1/annotations`; `signals` has a key for each that fired
 * (interface: Resources › AnnotationResponse).
 */
export type AnnotationResponse = A['AnnotationResponse']
/** What an annotator says of a transcript, in six fields (interface: Resources › AnnotationSummary). */
export type AnnotationSummary = A['AnnotationSummary']
/** An entry of the registry: an id, two versions and a description (interface: Resources › AnnotatorInfo). */
export type AnnotatorInfo = A['AnnotatorInfo']
/** The 200 of `GET /health` (interface: Resources › HealthResponse). */
export type HealthResponse = A['HealthResponse']
/**
 * One message of an annotation request: any `role`; `is_user_visible` is true by default
 * (interface: Resources › TranscriptMessage).
 */
export type Message = A['TranscriptMessage']
/**
 * From best to worst `strong`, `mixed`, `poor`, `critical`; `indeterminate` where nothing could be judged
 * (interface: Resources › AnnotationResponse).
 */
export type Outcome = A['Outcome']
/** The words that made a signal fire, and their turn, counted from 1 (interface: Resources › SignalHit). */
export type SignalHit = A['SignalHit']
/** Tokens in and out, and `latency_ms` in milliseconds (interface: Resources › UsageInfo). */
export type UsageInfo = A['UsageInfo']
/** One problem of a path parameter; `loc` leads to it (interface: Resources › HTTPValidationError). */
export type ValidationError = A['ValidationError']

/** `page` is counted from 1, `total` is of the whole list (interface: Resources › Surface B: records). */
export type Pagination = B['Pagination']
/** A project as it is answered; times are ISO 8601 in UTC (interface: Resources › Project). */
export type Project = B['Project']
/** `queued`, `skipped` or `error`, set once by the upload (interface: States and transitions). */
export type ProcessingStatus = B['ProcessingStatus']
/** The body of a new project; `domain` is `general` by default (interface: Endpoints › POST /projects). */
export type ProjectCreate = B['ProjectCreate']
/** The record of an upload; times are ISO 8601 in UTC, null where none was sent (interface: Resources › Transcript). */
export type Transcript = B['Transcript']
/**
 * The body of an upload, 1 to 1000 turns; `process` is true by default
 * (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export type TranscriptUpload = B['TranscriptUpload']
/** One turn of an upload, and of the single read of a transcript (interface: Resources › Turn). */
export type Turn = B['Turn']

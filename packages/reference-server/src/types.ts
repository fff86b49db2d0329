import type { components as Annotation } from './generated/annotation.js'
import type { components as Workspace } from './generated/workspace.js'

type A = Annotation['schemas']
type B = Workspace['schemas']

/** The two surfaces: `annotation` is A (base URL), `workspace` is B (public base URL). */
export type Surface = 'annotation' | 'workspace'

/** The body of `POST /v1/annotations`; an annotator gets `options` as sent (interface: Resources › AnnotationRequest). */
export type AnnotationRequest = A['AnnotationRequest']
/** The 200 of `POST /v1/annotations`, with the signals that fired (interface: Resources › AnnotationResponse). */
export type AnnotationResponse = A['AnnotationResponse']
/** An entry of the registry: id, two versions, description (interface: Resources › AnnotatorInfo). */
export type AnnotatorInfo = A['AnnotatorInfo']
/** The 200 of `GET /health` (interface: Resources › HealthResponse). */
export type HealthResponse = A['HealthResponse']
/** A message of an annotation request; `is_user_visible` is true by default (interface: Resources › TranscriptMessage). */
export type Message = A['TranscriptMessage']
/** From best to worst; `indeterminate` if nothing could be judged (interface: Resources › AnnotationResponse). */
export type Outcome = A['Outcome']
/** The evidence of a signal and its turn, counted from 1 (interface: Resources › SignalHit). */
export type SignalHit = A['SignalHit']
/** Tokens in and out, and `latency_ms` in milliseconds (interface: Resources › UsageInfo). */
export type UsageInfo = A['UsageInfo']
/** One problem of a path parameter, at `loc` (interface: Resources › HTTPValidationError). */
export type ValidationError = A['ValidationError']

/** `page` is counted from 1, `total` is of the whole list (interface: Resources › Surface B: records). */
export type Pagination = B['Pagination']
/** A project; times are ISO 8601 in UTC (interface: Resources › Project). */
export type Project = B['Project']
/** `queued`, `skipped` or `error`, set once by the upload (interface: States and transitions). */
export type ProcessingStatus = B['ProcessingStatus']
/** The body of a new project; `domain` is `general` by default (interface: Endpoints › POST /projects). */
export type ProjectCreate = B['ProjectCreate']
/** The record of an upload; times are ISO 8601 in UTC, null if not sent (interface: Resources › Transcript). */
export type Transcript = B['Transcript']
/** The body of an upload (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B). */
export type TranscriptUpload = B['TranscriptUpload']
/** One turn of an upload, and of the single read of a transcript (interface: Resources › Turn). */
export type Turn = B['Turn']

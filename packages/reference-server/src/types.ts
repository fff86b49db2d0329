import type { components as Annotation } from './generated/annotation.js'
import type { components as Workspace } from './generated/workspace.js'

type A = Annotation['schemas']
type B = Workspace['schemas']

/** The two surfaces: `annotation` is A (base URL), `workspace` is B (public base URL). */
export type Surface = 'annotation' | 'workspace'

export type AnnotationRequest = A['AnnotationRequest']
export type AnnotationResponse = A['AnnotationResponse']
export type AnnotationSummary = A['AnnotationSummary']
export type AnnotatorInfo = A['AnnotatorInfo']
export type HealthResponse = A['HealthResponse']
export type Message = A['TranscriptMessage']
export type Outcome = A['Outcome']
export type SignalHit = A['SignalHit']
export type UsageInfo = A['UsageInfo']
export type ValidationError = A['ValidationError']

export type Pagination = B['Pagination']
export type Project = B['Project']
export type ProcessingStatus = B['ProcessingStatus']
export type ProjectCreate = B['ProjectCreate']
export type Transcript = B['Transcript']
export type TranscriptUpload = B['TranscriptUpload']
export type Turn = B['Turn']

export {
  type AnnotationMethods,
  type AnnotationSurface,
  type AnnotatorMethods,
  annotationSurface,
  type BatchMethods,
} from './annotation-surface.js'
export { createCall, createCallOperation } from './call.js'
export { declaredErrors, isKeyRefusal, isServiceError } from './declared-errors.js'
export { type LegacyMethods, legacyMethods } from './legacy.js'
export { type ManyOptions, type ManyResult, mapConcurrent } from './many.js'
export { type ProjectMethods, projectMethods } from './projects.js'
export { type RequestContent, type RequestOptions, requestMethod } from './request.js'
export { type TranscriptMethods, transcriptMethods } from './transcripts.js'

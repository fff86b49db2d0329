export { isAnnotation, type Usage, usageOf } from '@svc/checks'
export {
  type Annotated,
  type AnnotateFlags,
  type AnnotationBody,
  type Answer,
  annotateAll,
  annotateWith,
  estimatedTokens,
  MalformedAnnotation,
  noAnnotator,
  type PlannedAnnotation,
  prepare,
  reportInput,
  reportPlan,
  stopsRun,
  tokensOf,
} from './annotating.js'

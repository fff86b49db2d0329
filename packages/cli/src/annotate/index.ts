export {
  type Annotated,
  type AnnotateFlags,
  type AnnotationBody,
  type Answer,
  annotateAll,
  annotateWith,
  MalformedAnnotation,
  noAnnotator,
  type PlannedAnnotation,
  prepare,
  reportInput,
  reportPlan,
  stopsRun,
  tokensOf,
} from './annotating.js'
export { isAnnotation } from './annotation-shape.js'

export {
  type Annotated,
  type AnnotateFlags,
  type Answer,
  annotateAll,
  askerOf,
  condemns,
  MalformedAnnotation,
  noAnnotator,
  type PlannedAnnotation,
  prepare,
  tellPlan,
  tokensOf,
} from './annotating.js'
export { isAnnotation } from './annotation-shape.js'
export { jsonOr } from './request-options.js'

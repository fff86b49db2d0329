export { type Annotator, annotate, infoOf, type Judgement } from './annotator.js'
export { patterns } from './patterns.js'
export { createPipeline, type ModelAnnotator, type Pipeline, type PipelineOptions } from './pipeline.js'
export {
  type AnnotatorScript,
  readScript,
  type ScriptCondition,
  ScriptedAnnotator,
  type ScriptedAnswer,
  script,
  setScript,
} from './script.js'
export { structural } from './structural.js'

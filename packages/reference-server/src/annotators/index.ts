export { type Annotator, annotate, infoOf, type Judgement } from './annotator.js'
export { patterns } from './patterns.js'
export { createPipeline, type ModelAnnotator, type Pipeline, type PipelineOptions } from './pipeline.js'
export { structural } from './structural.js'

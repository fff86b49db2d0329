export { labelFigures } from './figures.js'
export { type Label, labelShape, type NamedLabels, readLabels } from './label-file.js'
export { type LabelSample, type SampleOptions, sampleReport } from './sample.js'
export { sampleBlock } from './words.js'

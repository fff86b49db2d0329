export { labelFigures } from './figures.js'
export { type Label, type LabelWord, labelShape, labelWords, type NamedLabels, readLabels } from './label-file.js'
export { type LabelSample, type SampleOptions, sampleReport } from './sample.js'

export { toAnnotationMessages } from './annotation-messages.js'
export { type SplitLimits, split } from './split.js'
export { nameFor, toUpload } from './upload.js'

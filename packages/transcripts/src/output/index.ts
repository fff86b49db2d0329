export { type AnnotationMessage, toAnnotationMessages } from './annotation-messages.js'
export { nameFor } from './name.js'
export { type SplitLimits, split } from './split.js'
export { toUpload, type Upload, type UploadFields, type UploadTurn } from './upload.js'

export { type AnnotationMessage, toAnnotationMessages } from './annotation-messages.js'
export { type SplitLimits, split } from './split.js'
export { nameFor, toUpload, type Upload, type UploadFields, type UploadTurn } from './upload.js'

export { toAnnotationMessages } from './annotation-messages.js'
export { toFormat, type WrittenFormat, type WrittenTranscript, writtenFormats } from './conversations.js'
export { type SplitLimits, split } from './split.js'
export { nameFor, toUpload } from './upload.js'

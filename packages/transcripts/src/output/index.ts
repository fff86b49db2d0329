export { type AnnotatedTurn, toAnnotationMessages } from './annotation-messages.js'
export {
  fileIn,
  toFormat,
  type WrittenFile,
  type WrittenFormat,
  type WrittenTranscript,
  writtenFormats,
} from './conversations.js'
export { type SplitLimits, split } from './split.js'
export { nameFor, toUpload, uploadLosses } from './upload.js'

export {
  checkContentLength,
  checkTurnBytes,
  parseJson,
  readAnnotationRequest,
  readProjectCreate,
  readTranscriptUpload,
  tooLarge,
  uploadFields,
} from './bodies.js'
export { decodeContent } from './content-coding.js'
export { lastMs, parseInstant, toIso } from './iso-date.js'
export { escapeHtml, fold, headline, tokens, truncate, utf8Length } from './text.js'
export {
  anyObject,
  assertValid,
  boolean,
  checkedBy,
  closed,
  distinct,
  expecting,
  isObject,
  isoDate,
  list,
  object,
  oneOf,
  record,
  string,
  suggestion,
  text,
  type Validator,
  wholeNumber,
} from './validators.js'

export {
  checkTurnBytes,
  readAnnotationRequest,
  readProjectCreate,
  readTranscriptUpload,
  uploadFields,
} from './bodies.js'
export { checkDeclaredLength, parseJson, tooLarge } from './body.js'
export { lastMs, parseInstant, toIso } from './iso-date.js'
export { fold, headline, tokens, truncate, utf8Length } from './text.js'
export {
  anyObject,
  boolean,
  check,
  checkedBy,
  closed,
  describeViolations,
  distinct,
  expecting,
  type Fields,
  isObject,
  list,
  measures,
  object,
  oneOf,
  record,
  string,
  text,
  type Validator,
  wholeNumber,
} from './validators.js'

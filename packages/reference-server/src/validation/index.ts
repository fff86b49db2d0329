export {
  checkTurnBytes,
  readAnnotationRequest,
  readProjectCreate,
  readTranscriptUpload,
  uploadFields,
} from './bodies.js'
export { checkDeclaredLength, parseJson, tooLarge } from './body.js'
export { lastMs, parseInstant, toIso } from './iso-date.js'
export {
  anyObject,
  boolean,
  check,
  checkedBy,
  closed,
  describe,
  distinct,
  expecting,
  type Fields,
  isObject,
  list,
  measures,
  object,
  oneOf,
  record,
  type Shape,
  string,
  text,
  wholeNumber,
} from './shape.js'
export { clip, fold, headline, tokens, utf8Length } from './text.js'

export { createItemFailures, type ItemFailure } from './item-failures.js'
export { kindOf, MalformedAnswer, refuseMalformed, wrongFields, wrongItems } from './malformed-answer.js'
export {
  connectionHint,
  describe,
  errorDocument,
  errorJson,
  exitByStep,
  exitCodeFor,
  forShell,
  reportError,
  reportFailures,
  searchHint,
  stopped,
  writeLines,
} from './report-error.js'

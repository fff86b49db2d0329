export { MalformedAnswer, refuseMalformed, wrongItems } from './malformed-answer.js'
export {
  connectionHint,
  describe,
  errorDocument,
  errorJson,
  exitByStep,
  exitCodeFor,
  exitCodeOf,
  forShell,
  reportError,
  reportFailures,
  searchHint,
  stopped,
  writeLines,
} from './report-error.js'

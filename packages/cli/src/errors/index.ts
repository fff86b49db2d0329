export { kindOf, MalformedAnswer, refuseMalformed, wrongFields, wrongItems } from './malformed-answer.js'
export {
  connectionHint,
  describe,
  errorDocument,
  exitCodeFor,
  forShell,
  lookFirst,
  reportError,
  stopped,
  tellFailures,
  tellLines,
} from './report-error.js'

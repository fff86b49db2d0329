export { canonicalJson } from './canonical-json.js'
export {
  type Checked,
  checkJson,
  checkValue,
  isWritable,
  jsonBounds,
  type NamesAt,
  parseJson,
  type Shape,
  type ShapeIssue,
  startOfJson,
} from './checked-json.js'
export { CodedError } from './coded-error.js'
export { parseDuration } from './duration.js'
export {
  escapeHtml,
  escapeJson,
  escapeLine,
  escapeLines,
  escapeMarkdown,
  escapeSarif,
  escapeTableCell,
  escapeWorkflowMessage,
  escapeWorkflowProperty,
  escapeXml,
  escapeXmlAttribute,
} from './escape.js'
export { isArchive, isPacked, isStdin } from './file-names.js'
export { grouped } from './grouped.js'
export { kindOf } from './kind-of.js'
export { nearest } from './nearest.js'
export { compilePattern, matcherOf, type Pattern, type Progress, patternProblem } from './patterns.js'
export { count, cut, firstNames, percent, shellLine } from './phrases.js'
export { asciiHosts, hideKeys, hideSecrets } from './secrets.js'

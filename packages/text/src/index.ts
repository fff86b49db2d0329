export { canonicalJson } from './canonical-json.js'
export { CodedError } from './coded-error.js'
export { parseDuration } from './duration.js'
export {
  count,
  cut,
  inert,
  inertAttribute,
  inertCell,
  inertCommand,
  inertHtml,
  inertJson,
  inertLines,
  inertMarkdown,
  inertProperty,
  inertSarif,
  inertXml,
  percent,
} from './escape.js'
export { isArchive, isPacked, isStdin } from './file-names.js'
export { grouped } from './grouped.js'
export { firstNames, shellLine } from './lines.js'
export { nearest } from './nearest.js'
export { compilePattern, matcherOf, type Pattern, type Progress, patternProblem } from './patterns.js'

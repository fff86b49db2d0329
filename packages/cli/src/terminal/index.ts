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
} from '@svc/report-viewer/text'
export { type Hidden, hideSecrets, hidingIo } from './hide.js'
export { firstNames, shellLine, tsv, writeWarning } from './lines.js'
export { type Style, styleOf, wantsColor } from './style.js'

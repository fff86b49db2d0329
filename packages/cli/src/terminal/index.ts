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
export { firstNames, type Hidden, hideSecrets, hidingIo, shellLine, tsv, writeWarning } from './hide.js'
export { type Style, styleOf, wantsColor } from './style.js'

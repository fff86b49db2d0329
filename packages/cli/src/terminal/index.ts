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
} from '@svc/report-viewer'
export { type Hidden, hideSecrets, hidingIo } from './hide.js'
export { shellLine } from './shell-line.js'
export { type Style, styleOf, wantsColor } from './style.js'
export { firstNames, table, tsv } from './table.js'
export { writeWarning } from './warn.js'

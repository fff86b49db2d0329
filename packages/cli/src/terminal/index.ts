export { type Hidden, hideSecrets, hidingIo } from './hide.js'
export { shellLine } from './shell-line.js'
export { type Style, styleOf, wantsColor } from './style.js'
export {
  count,
  cut,
  firstOf,
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
  table,
  tsv,
} from './text.js'
export { tellWarning } from './warn.js'

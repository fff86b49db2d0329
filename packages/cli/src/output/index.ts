export { type DocumentKind, documents, fieldsOf, transcriptFields } from './documents.js'
export { selectorOf } from './fields.js'
export {
  cell,
  documentOf,
  jsonLine,
  jsonListPrinter,
  printDocument,
  printJson,
  printJsonLine,
  printPaged,
  printRecord,
  printRows,
  rowPrinter,
} from './output.js'
export { type Pace, type Progress, startProgress } from './progress.js'
export type { Column } from './table.js'

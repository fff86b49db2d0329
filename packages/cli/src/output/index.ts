export { type DocumentKind, documents } from './documents.js'
export { selectorOf } from './fields.js'
export { cell, documentOf, jsonLine, printJson, printJsonLine, printRecord, printRows } from './output.js'
export { type Progress, startProgress } from './progress.js'

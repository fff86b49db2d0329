export {
  type ColumnField,
  type ColumnMap,
  columnFields,
  columnsOfObject,
  fieldAt,
  mapColumns,
  nearestMap,
  normalizedName,
  usualNamesOf,
  withoutField,
} from './columns.js'
export type { Layout } from './layout.js'
export type { RawRecord } from './raw-record.js'
export { RecordSplitter } from './record-splitter.js'
export { TableRow } from './table.js'
export { isTextHead, isTextLine, TextHead, TextLine } from './text.js'

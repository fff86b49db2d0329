export type { Layout } from './layout.js'
export type { RawRecord } from './raw-record.js'
export { RecordSplitter } from './record-splitter.js'
export {
  type ColumnField,
  type ColumnMap,
  columnFields,
  columnsOfObject,
  mapColumns,
  normalizedName,
  TableRow,
  usualNamesOf,
} from './table.js'
export { isTextHead, isTextLine, TextHead, TextLine } from './text.js'

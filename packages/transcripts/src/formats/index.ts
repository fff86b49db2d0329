export { hasMapped } from './datasets/index.js'
export { readers } from './readers.js'
export { type AnyFormatId, type FormatId, formatNamed as formatOf, formats } from './registry.js'

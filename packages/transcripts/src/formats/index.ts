export { readers } from './readers.js'
export { type FormatId, formatOf, formats } from './registry.js'

export { type FormatId, formatOf, formats, readers } from './registry.js'

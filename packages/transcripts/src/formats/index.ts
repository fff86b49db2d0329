export { hasMapped } from './datasets/dialogues.js'
export { readers } from './readers.js'
export { type AnyFormatId, type FormatId, formatOf, formats } from './registry.js'

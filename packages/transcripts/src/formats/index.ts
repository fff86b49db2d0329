export { hasMapped } from './dialogues/index.js'
export { readers } from './readers.js'
export { type AnyFormatId, type FormatId, formatNamed, formats } from './registry.js'

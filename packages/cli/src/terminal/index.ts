export { type Hidden, hidingIo } from './hide.js'
export { tsv, writeWarning } from './lines.js'
export { type Style, styleOf, wantsColor } from './style.js'

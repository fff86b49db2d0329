export { convertCommand } from './convert.js'

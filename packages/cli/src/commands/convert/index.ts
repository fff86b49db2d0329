export { convertCommand } from './command.js'

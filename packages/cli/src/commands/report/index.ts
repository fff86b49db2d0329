export { reportCommand } from './command.js'

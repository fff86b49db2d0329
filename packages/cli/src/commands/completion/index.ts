export { completionCommand } from './command.js'

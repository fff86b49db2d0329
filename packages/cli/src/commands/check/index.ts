export { checkCommand } from './command.js'

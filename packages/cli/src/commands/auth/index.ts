export { authCommand } from './command.js'

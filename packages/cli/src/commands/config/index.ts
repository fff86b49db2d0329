export { configCommand } from './command.js'

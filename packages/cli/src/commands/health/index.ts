export { healthCommand } from './command.js'

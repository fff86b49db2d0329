export { apiCommand } from './command.js'

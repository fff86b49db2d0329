export { mockCommand } from './command.js'

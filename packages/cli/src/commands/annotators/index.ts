export { annotatorsCommand } from './command.js'

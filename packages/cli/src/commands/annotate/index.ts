export { annotateCommand } from './command.js'

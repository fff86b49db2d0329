export { uploadCommand } from './command.js'
